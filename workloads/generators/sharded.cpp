// Steps of a program whose arrays are sharded over a mesh of devices, as JAX and its like have them: collectives along
// each axis of the mesh, one after the other.

#include <functional>
#include <map>
#include <numeric>

#include "core/quantities.hpp"
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
      : IteratedTrace(arguments.spec().text(), size_of(arguments[mesh]), arguments[steps], arguments[flops]),
        extents_(arguments[mesh]),
        axes_(extents_.size()),
        gathers_(of_axes(arguments, gathers)),
        exchanges_(of_axes(arguments, exchanges)),
        scatters_(of_axes(arguments, scatters)),
        reductions_(of_axes(arguments, reductions)) {
    std::int32_t stride = 1;
    for (std::size_t axis = axes_.size(); axis-- > 0; stride *= extents_[axis]) {
      axes_[axis].stride = stride;
      for (const Rank rank : core::ids<Rank>(ranks())) {
        if (rank.value() / stride % extents_[axis] != 0) continue;
        const auto id = add_communicator(Communicator::strided(rank, stride, extents_[axis]));
        axes_[axis].groups.emplace(rank, id);
      }
    }
  }

  CollectiveWorld collectives() const override { return CollectiveWorld::torus; }

 private:
  struct Axis {
    std::int32_t stride = 1;
    std::map<Rank, CommId> groups = {};  ///< communicators by their first rank
  };

  static std::int32_t size_of(const std::vector<std::int32_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
  }

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
    for (std::size_t axis = axes_.size(); axis-- > 0;) {
      const auto n = static_cast<std::uint64_t>(extents_[axis]);
      if (n == 1) continue;
      const auto place = rank.value() / axes_[axis].stride % extents_[axis];
      const auto comm = axes_[axis].groups.at(Rank(rank.value() - place * axes_[axis].stride));
      const auto add = [&](OpKind kind, std::uint64_t whole, std::uint64_t parts) {
        if (whole > 0) script.add({.kind = kind, .comm = comm, .bytes = (whole + parts - 1) / parts});
      };
      add(OpKind::allgather, gathers_[axis], n);
      add(OpKind::alltoall, exchanges_[axis], n * n);
      add(OpKind::reduce_scatter, scatters_[axis], n);
      add(OpKind::allreduce, reductions_[axis], 1);
    }
  }

  std::vector<std::int32_t> extents_;
  std::vector<Axis> axes_;
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
