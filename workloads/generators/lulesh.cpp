#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {
namespace {

std::int32_t cube_root(std::int32_t number) {
  return static_cast<std::int32_t>(std::lround(std::cbrt(number)));
}

const core::Parameter<std::int32_t> rank_count{
    "ranks",
    "number of ranks",
    {"a cube up to 256^3: 1, 8, 27, 64, ...",
     [](std::string_view text, const core::Place&) -> std::optional<std::int32_t> {
       const auto ranks = core::parse_number<std::int32_t>(text);
       if (!ranks || *ranks < 1 || *ranks > 1 << 24) return std::nullopt;
       const auto side = cube_root(*ranks);
       return side * side * side == *ranks ? ranks : std::nullopt;
     }},
    "64"};
const core::Parameter<std::int32_t> elements{"elements", "elements of a rank along an axis",
                                             core::whole<std::int32_t>(1, 10'000), "30"};
const core::Parameter<std::int32_t> steps{"steps", "time steps", core::whole<std::int32_t>(0, 1'000'000'000), "30"};
const core::Parameter<double> flops{"flops", "computation per element and step", core::flops(), "1kf"};

/// A neighbour: -1, 0 or 1 along x, y and z.
using Offset = std::array<std::int32_t, 3>;

/// The neighbours in the order of the messages: faces, of z first; edges and corners.
constexpr std::array<Offset, 26> neighbours{
    {{0, 0, -1},   {0, 0, 1},   {0, -1, 0},  {0, 1, 0},  {-1, 0, 0},  {1, 0, 0},  {-1, -1, 0}, {0, -1, -1}, {-1, 0, -1},
     {1, 1, 0},    {0, 1, 1},   {1, 0, 1},   {-1, 1, 0}, {0, -1, 1},  {-1, 0, 1}, {1, -1, 0},  {0, 1, -1},  {1, 0, -1},
     {-1, -1, -1}, {-1, -1, 1}, {1, -1, -1}, {1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, 1, -1},  {1, 1, 1}}};
constexpr std::size_t faces = 6;

/// What is exchanged, and with whom.
struct Exchange {
  std::int32_t tag;
  std::uint64_t fields;
  bool nodes;      ///< fields are those of nodes, one more along an axis than there are elements
  bool both_ways;  ///< otherwise only from ranks with higher numbers to those with lower ones
  std::size_t neighbours;
};
constexpr Exchange masses{1024, 1, true, true, neighbours.size()}, forces{1024, 3, true, true, neighbours.size()},
    positions{2048, 6, true, false, neighbours.size()}, gradients{3072, 3, false, true, faces};

/// LULESH 2.0, shock hydrodynamics on a cube of hexahedra: I. Karlin, J. Keasler, R. Neely, LULESH 2.0 updates and
/// changes, LLNL-TR-641973. Ranks exchange faces, edges and corners with all 26 neighbours.
class Lulesh final : public IteratedTrace {
 public:
  explicit Lulesh(const core::Arguments& arguments)
      : IteratedTrace(arguments, arguments[rank_count], arguments[steps],
                      arguments[flops] * std::pow(arguments[elements], 3)) {}

 private:
  void begin(Rank rank, Script& script) const override {
    exchange(rank, masses, script);
    script.collective(OpKind::barrier);
  }

  void iterate(Rank rank, std::int32_t step, Script& script) const override {
    if (step > 1) script.collective(OpKind::allreduce, word);  // the first time step is given
    exchange(rank, forces, script, 0.5);
    exchange(rank, positions, script, 0.05);
    exchange(rank, gradients, script, 0.05);
    script.compute(0.4);
  }

  void finish(Rank, Script& script) const override { script.collective(OpKind::reduce, word); }
  Same same_iterations() const override { return {2, iterations()}; }

  /// Posts receives, computes what is sent, sends, waits for what was sent and then for each receive.
  void exchange(Rank rank, const Exchange& what, Script& script, double computation = 0) const {
    if (ranks() == 1) return script.compute(computation);
    std::size_t received = 0, requests = 0;
    const auto post = [&](bool sends) {
      for (std::size_t i = 0; i < what.neighbours; ++i) {
        const auto partner = partner_of(rank, neighbours[i]);
        if (partner == no_process || !(what.both_ways || sends == (partner < rank.value()))) continue;
        const auto request = static_cast<RequestHandle>(requests++);
        if (sends)
          script.isend(partner, what.tag, bytes(neighbours[i], what), request);
        else
          script.irecv(partner, what.tag, bytes(neighbours[i], what), request);
      }
    };
    post(false);
    received = requests;
    script.compute(computation);
    post(true);
    script.waitall(requests - received, received);
    for (std::size_t i = 0; i < received; ++i) script.wait(static_cast<RequestHandle>(i));
  }

  CommRank partner_of(Rank rank, const Offset& offset) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (offset[axis] == 0) continue;
      const auto next = grid_.neighbour(rank, axis, offset[axis]);
      if (next == no_process) return no_process;
      rank = Rank(next);
    }
    return rank.value();
  }

  /// A plane, a line or a point of each field.
  std::uint64_t bytes(const Offset& offset, const Exchange& what) const {
    const auto extent = static_cast<std::uint64_t>(elements_) + (what.nodes ? 1 : 0);
    auto bytes = what.fields * word;
    for (const auto along : offset)
      if (along == 0) bytes *= extent;
    return bytes;
  }

  RankGrid grid_{std::vector<std::int32_t>(3, cube_root(ranks()))};
  std::int32_t elements_ = given(elements);
};

}  // namespace

core::Entry<MakeTrace> lulesh_generator() {
  return {"lulesh",
          "LULESH: hydrodynamics, exchange with 26 neighbours",
          make_trace<Lulesh>,
          {rank_count, elements, steps, flops}};
}

}  // namespace toroid::workloads
