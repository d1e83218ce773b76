#include "workloads/generators/npb/multipartition.hpp"

namespace toroid::workloads::npb {
namespace {

struct Size {
  std::int32_t points, iterations;  ///< along an axis
};
constexpr ByClass<Size> sizes(Size{12, 100}, Size{36, 400}, Size{64, 400}, Size{102, 400}, Size{162, 400},
                              Size{408, 500});

const MultipartitionCosts costs("2.46kf", "72.1f", "80.1f", "31.9f", "7.59kf");

/// Scalar pentadiagonal systems along x, y and z.
class ScalarPentadiagonal final : public Multipartition {
 public:
  explicit ScalarPentadiagonal(const Request& request)
      : Multipartition(request, costs, sizes[request.problem].iterations, sizes[request.problem].points) {}

 private:
  void begin(Rank rank, Script& script) const override {
    for (const auto bytes : {integer, word, 3 * integer, integer}) script.collective(OpKind::bcast, bytes);
    script.compute(setup(rank));
    iterate(rank, 0, script);
    script.collective(OpKind::barrier);
  }

  /// Through the cells of an axis, forward to eliminate or backward to substitute: for each inner point of a face two
  /// rows of coefficients and right hand sides, or of results.
  void sweep(Rank rank, std::size_t axis, bool forward, Script& script) const override {
    constexpr std::int32_t tag = 0;
    const std::uint64_t numbers = forward ? 22 : 10;
    const auto from = forward ? predecessor(rank, axis) : successor(rank, axis);
    const auto to = forward ? successor(rank, axis) : predecessor(rank, axis);
    for (std::int32_t step = 0; step < side(); ++step) {
      const auto at = cell(rank, axis, forward ? step : side() - 1 - step);
      const auto bytes = numbers * word * inner_points(at, axis);
      if (step > 0) {
        script.irecv(from, tag, bytes, 1);
        script.waitall(2);
      }
      script.compute(computation_of(at, forward));
      if (step + 1 < side()) script.isend(to, tag, bytes, 0);
    }
  }

  /// Points of a cell's face across an axis that are not at the boundary of the whole.
  std::uint64_t inner_points(const Cell& cell, std::size_t axis) const {
    std::int32_t product = 1;
    for (std::size_t other = 0; other < 3; ++other)
      if (other != axis)
        product *= cell.points[other] - (cell.at[other] == 0 ? 1 : 0) - (cell.at[other] == side() - 1 ? 1 : 0);
    return static_cast<std::uint64_t>(product);
  }
};

std::vector<core::AnyParameter> all_costs() {
  return costs.all();
}

bool runs_on(std::int32_t ranks, ProblemClass problem) {
  return Multipartition::fits(ranks, sizes[problem].points);
}

}  // namespace

Kind sp_benchmark() {
  return {"sp",    "NPB: scalar pentadiagonal systems", "a square number that leaves three points an axis to a cell",
          runs_on, make<ScalarPentadiagonal>,           all_costs};
}

}  // namespace toroid::workloads::npb
