#include "workloads/generators/npb/multipartition.hpp"

namespace toroid::workloads::npb {
namespace {

struct Size {
  std::int32_t points, iterations;  ///< along an axis
};
constexpr ByClass<Size> sizes(Size{12, 60}, Size{24, 200}, Size{64, 200}, Size{102, 200}, Size{162, 200},
                              Size{408, 250});

const MultipartitionCosts costs("2.95kf", "49.2f", "287f", "49.3f", "7.4kf");

/// Block tridiagonal systems along x, y and z.
class BlockTridiagonal final : public Multipartition {
 public:
  explicit BlockTridiagonal(const Request& request)
      : Multipartition(request, costs, sizes[request.problem].iterations, sizes[request.problem].points) {}

 private:
  void begin(Rank rank, Script& script) const override {
    for (const auto bytes : {integer, word, 3 * integer, integer, integer, integer})
      script.collective(OpKind::bcast, bytes);
    script.compute(setup(rank));
    iterate(rank, 0, script);
    script.collective(OpKind::barrier);
  }

  /// Through the cells of an axis, forward to eliminate or backward to substitute. The buffers are those of the largest
  /// cell: a block and a vector for each point of a face, or a vector.
  void sweep(Rank rank, std::size_t axis, bool forward, Script& script) const override {
    constexpr RequestHandle sent = 0, received = 1;
    const auto width = static_cast<std::uint64_t>(points() / side() + 1);
    const auto bytes = width * width * (forward ? variables * variables + variables : variables) * word;
    const auto from = forward ? predecessor(rank, axis) : successor(rank, axis);
    const auto to = forward ? successor(rank, axis) : predecessor(rank, axis);
    for (std::int32_t step = 0; step < side(); ++step) {
      const auto at = cell(rank, axis, forward ? step : side() - 1 - step);
      const auto tag = tag_of(at, axis, forward);
      if (step > 0) {
        script.irecv(from, tag, bytes, received);
        script.wait(sent);
        script.wait(received);
      }
      script.compute(computation_of(at, forward));
      if (step + 1 < side()) script.isend(to, tag, bytes, sent);
    }
  }

  std::int32_t tag_of(const Cell& cell, std::size_t axis, bool forward) const {
    const auto u = cell.at[axis == 0 ? 1 : 0], v = cell.at[axis == 2 ? 1 : 2];
    return (forward ? low_side : high_side)[axis] + u + v * side();
  }
};

std::vector<core::AnyParameter> all_costs() {
  return costs.all();
}

bool runs_on(std::int32_t ranks, ProblemClass problem) {
  return Multipartition::fits(ranks, sizes[problem].points);
}

}  // namespace

Kind bt_benchmark() {
  return {"bt",    "NPB: block tridiagonal systems", "a square number that leaves three points an axis to a cell",
          runs_on, make<BlockTridiagonal>,           all_costs};
}

}  // namespace toroid::workloads::npb
