// Steps of a program whose arrays are sharded over a mesh of devices, as JAX and its like have them: collectives along
// each axis of the mesh, one after the other.

#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {
namespace {

using Bytes = std::vector<std::uint64_t>;

/// `64MB`, or one for each axis: `0/64MB`.
core::Type<Bytes> bytes_of_axes() {
  return {"bytes, 64MB, or those of each axis, 0/64MB",
          [](std::string_view text, const core::Place& place) -> std::optional<Bytes> {
            Bytes all;
            for (const auto part : core::split(text, '/')) all.push_back(core::whole_bytes().read(part, place));
            return all;
          }};
}

constexpr std::size_t most_axes = 8;
const core::Parameter<std::vector<std::int32_t>> mesh{
    "mesh", "extents of the mesh; ranks are numbered along the last axis first", core::extents(most_axes, 1 << 20),
    "8x8"};
const core::Parameter<Bytes> gathers{"all-gather", "the whole of what a group along an axis gathers in a step",
                                     bytes_of_axes(), "64MB"};
const core::Parameter<Bytes> exchanges{"all-to-all", "the whole of what a group exchanges", bytes_of_axes(), "0"};
const core::Parameter<Bytes> scatters{"reduce-scatter", "the whole of what a group sums and scatters", bytes_of_axes(),
                                      "0"};
const core::Parameter<Bytes> reductions{"all-reduce", "what each rank of a group sums with the others", bytes_of_axes(),
                                        "0"};
const core::Parameter<double> flops{"flops", "what a rank computes in a step, before it communicates", core::flops(),
                                    "0f"};
const core::Parameter<std::int32_t> steps{"steps", "how many", core::whole<std::int32_t>(0, 1'000'000), "1"};

class Sharded final : public IteratedTrace {
 public:
  explicit Sharded(const core::Arguments& arguments)
      : IteratedTrace(arguments, RankGrid(arguments[mesh]).size(), arguments[steps], arguments[flops]),
        gathers_(of_axes(arguments, gathers)),
        exchanges_(of_axes(arguments, exchanges)),
        scatters_(of_axes(arguments, scatters)),
        reductions_(of_axes(arguments, reductions)) {
    std::int32_t stride = 1;
    for (std::size_t axis = extents_.size(); axis-- > 0; stride *= extents_[axis])
      for (const Rank rank : core::ids<Rank>(ranks())) {
        const auto first = rank - rank.value() / stride % extents_[axis] * stride;
        groups_[axis].add(first == rank ? add_communicator(Communicator::strided(rank, stride, extents_[axis]))
                                        : groups_[axis][first]);
      }
  }

  CollectiveWorld collectives() const override { return CollectiveWorld::torus; }

 private:
  Bytes of_axes(const core::Arguments& arguments, const core::Parameter<Bytes>& key) const {
    auto bytes = arguments[key];
    if (bytes.size() == 1) bytes.resize(extents_.size(), bytes[0]);
    if (bytes.size() != extents_.size())
      core::fail_input("'{}': {}: found bytes of {} axes, expected 1 or {}", core::excerpt(arguments.spec().text()),
                       key.name, bytes.size(), extents_.size());
    return bytes;
  }

  void iterate(Rank rank, std::int32_t, Script& script) const override {
    script.compute(1);
    for (std::size_t axis = extents_.size(); axis-- > 0;) {
      const auto n = static_cast<std::uint64_t>(extents_[axis]);
      if (n == 1) continue;
      const auto add = [&](OpKind kind, std::uint64_t whole, std::uint64_t parts) {
        if (whole > 0) script.add({.kind = kind, .comm = groups_[axis][rank], .bytes = (whole + parts - 1) / parts});
      };
      add(OpKind::allgather, gathers_[axis], n);
      add(OpKind::alltoall, exchanges_[axis], n * n);
      add(OpKind::reduce_scatter, scatters_[axis], n);
      add(OpKind::allreduce, reductions_[axis], 1);
    }
  }

  std::vector<std::int32_t> extents_ = given(mesh);
  /// For each axis the group of each rank along it.
  std::vector<core::IdVector<Rank, CommId>> groups_ = std::vector<core::IdVector<Rank, CommId>>(extents_.size());
  Bytes gathers_, exchanges_, scatters_, reductions_;
};

}  // namespace

core::Entry<MakeTrace> sharded_generator() {
  return {"sharded",
          "collectives along each axis of a mesh of devices",
          make_trace<Sharded>,
          {mesh, gathers, exchanges, scatters, reductions, flops, steps}};
}

}  // namespace toroid::workloads
