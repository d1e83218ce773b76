#include <bit>

#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

struct Size {
  std::int32_t rows, nonzeros, iterations;
};
constexpr ByClass<Size> sizes(Size{1400, 7, 15}, Size{7000, 8, 15}, Size{14000, 11, 15}, Size{75000, 13, 75},
                              Size{150000, 15, 75}, Size{1500000, 21, 100});
constexpr int inner_iterations = 25;

Amount amount(const Size& size) {
  const double per_row = size.nonzeros * (size.nonzeros + 1.0);
  return {size.iterations, 2.0 * size.iterations * size.rows * (3 + per_row + inner_iterations * (5 + per_row) + 3),
          1.67382};
}

/// Conjugate gradient: the matrix is on a grid of ranks with as many columns as rows, or twice as many. Sums over a row
/// of the grid are exchanges at distances of half the row, a quarter, ...; the transposed rank has the segment that the
/// next product needs.
class ConjugateGradient final : public Benchmark {
 public:
  explicit ConjugateGradient(const Request& request)
      : Benchmark(request, amount(sizes[request.problem])),
        matrix_rows_(sizes[request.problem].rows),
        stages_((std::bit_width(static_cast<std::uint32_t>(request.ranks))) / 2),
        columns_(1 << stages_),
        rows_(request.ranks / columns_) {}

 private:
  void begin(Rank rank, Script& script) const override {
    script.collective(OpKind::bcast, integer);
    iterate(rank, 0, script);
    script.collective(OpKind::barrier);
  }

  /// One solution of the system, and the two norms that become the estimate of the eigenvalue.
  void iterate(Rank rank, std::int32_t, Script& script) const override {
    sum_over_row(rank, word, script);
    for (int i = 0; i < inner_iterations; ++i) {
      multiply(rank, script);
      sum_over_row(rank, word, script);
      sum_over_row(rank, word, script);
    }
    multiply(rank, script);
    sum_over_row(rank, word, script);
    sum_over_row(rank, 2 * word, script);
  }

  void finish(Rank, Script& script) const override { script.collective(OpKind::reduce, word); }

  /// Rank in the same row of the grid that is half the row away (stage 1), a quarter (2), ...
  CommRank partner(Rank rank, int stage) const {
    return rank.value() / columns_ * columns_ + ((rank.value() % columns_) ^ (columns_ >> stage));
  }

  void sum_over_row(Rank rank, std::uint64_t bytes, Script& script) const {
    for (int stage = 1; stage <= stages_; ++stage) script.exchange(partner(rank, stage), stage, bytes, bytes);
  }

  /// Product of the matrix and a vector.
  void multiply(Rank rank, Script& script) const {
    script.compute(1.0 / (inner_iterations + 1));
    const auto mine = word * part_of(rank), rest = word * segment_of(rank) - mine;
    const bool halves = rows_ != columns_;  // neighbours end with half of the sum each
    for (int stage = stages_; stage >= 1; --stage)
      script.exchange(partner(rank, stage), stage, halves && stage == stages_ ? rest : mine, mine);
    if (stages_ == 0) return;
    const Rank other = transposed(rank);
    script.exchange(other.value(), 1, mine, word * part_of(other));
  }

  /// Rows of the matrix that the rank's row of the grid has.
  std::uint64_t segment_of(Rank rank) const {
    const auto row = rank.value() / columns_;
    return static_cast<std::uint64_t>(matrix_rows_ / rows_ + (row < matrix_rows_ % rows_ ? 1 : 0));
  }
  /// Those of which the rank has the sum: all, or half where there are two columns for each row of the grid.
  std::uint64_t part_of(Rank rank) const {
    if (rows_ == columns_) return segment_of(rank);
    return (segment_of(rank) + (rank.value() % 2 == 0 ? 1 : 0)) / 2;
  }

  Rank transposed(Rank rank) const {
    const auto pairs = columns_ / rows_;  // 1 or 2 columns that belong to a row
    const auto me = rank.value() / pairs;
    return Rank(pairs * (me % rows_ * rows_ + me / rows_) + rank.value() % pairs);
  }

  std::int32_t matrix_rows_;
  int stages_;  ///< of a sum over a row
  std::int32_t columns_, rows_;
};

bool runs_on(std::int32_t ranks, ProblemClass) {
  return std::has_single_bit(static_cast<std::uint32_t>(ranks));
}

}  // namespace

Kind cg_benchmark() {
  return {"cg", "NPB: conjugate gradient", "a power of two", runs_on, make<ConjugateGradient>};
}

}  // namespace toroid::workloads::npb
