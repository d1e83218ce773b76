#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

struct Size {
  std::int32_t rows, nonzeros, iterations;
};
constexpr ByClass<Size> sizes(Size{1400, 7, 15}, Size{7000, 8, 15}, Size{14000, 11, 15}, Size{75000, 13, 75},
                              Size{150000, 15, 75}, Size{1500000, 21, 100});
constexpr int inner_iterations = 25;

const Cost setup{"setup", "making the matrix, which every rank does whole: for each of its random elements",
                 core::flops(), "44.7f"};
const Cost matrix_row{"matrix-row", "a product: for each row of a rank's part of the matrix", core::flops(), "19.5f"};
const Cost nonzero{"nonzero", "a product: for each non-zero of a rank's part of the matrix", core::flops(), "0.667f"};
const Cost element{"element", "an operation on vectors: for each element of a rank's segment", core::flops(), "0.904f"};
const Cost exchange{"exchange", "what each exchange of messages takes besides", core::flops(), "1.1kf"};

/// Conjugate gradient: the matrix is on a grid of ranks with as many columns as rows, or twice as many. Sums over a row
/// of the grid are exchanges at distances of half the row, a quarter, ...; the transposed rank has the segment that the
/// next product needs.
class ConjugateGradient final : public Benchmark {
 public:
  explicit ConjugateGradient(const Request& request) : Benchmark(request, sizes[request.problem].iterations) {}

 private:
  void begin(Rank rank, Script& script) const override {
    script.collective(OpKind::bcast, integer);
    script.compute(setup_ * size_.rows * size_.nonzeros);
    iterate(rank, 0, script);
    script.collective(OpKind::barrier);
  }

  /// One solution of the system, and the two norms that become the estimate of the eigenvalue.
  void iterate(Rank rank, std::int32_t, Script& script) const override {
    operate(rank, 2, script);
    sum_over_row(rank, word, script);
    for (int i = 0; i < inner_iterations; ++i) {
      multiply(rank, script);
      operate(rank, 2, script);  // the product's segment, and the scalar product that tells how far to go
      sum_over_row(rank, word, script);
      operate(rank, 5, script);  // a step of the solution and of the residual, and the norm
      sum_over_row(rank, word, script);
    }
    multiply(rank, script);
    operate(rank, 2, script);
    sum_over_row(rank, word, script);
    operate(rank, 4, script);
    sum_over_row(rank, 2 * word, script);
  }

  void finish(Rank, Script& script) const override { script.collective(OpKind::reduce, word); }

  /// Rank in the same row of the grid that is half the row away (stage 1), a quarter (2), ...
  CommRank partner(Rank rank, int stage) const {
    return rank.value() / columns_ * columns_ + ((rank.value() % columns_) ^ (columns_ >> stage));
  }

  /// Reads or writes that many segments of vectors.
  void operate(Rank rank, int vectors, Script& script) const {
    script.compute(element_ * vectors * static_cast<double>(segment_of(rank)));
  }

  void sum_over_row(Rank rank, std::uint64_t bytes, Script& script) const {
    for (int stage = 1; stage <= stages_; ++stage) {
      script.exchange(partner(rank, stage), stage, bytes, bytes);
      script.compute(exchange_);
    }
  }

  /// Product of the matrix and a vector.
  void multiply(Rank rank, Script& script) const {
    const auto rows = static_cast<double>(segment_of(rank));
    script.compute((matrix_row_ + nonzero_ * size_.nonzeros * (size_.nonzeros + 1.0) / columns_ + element_) * rows);
    const auto mine = word * part_of(rank), rest = word * segment_of(rank) - mine;
    const bool halves = rows_ != columns_;  // neighbours end with half of the sum each
    for (int stage = stages_; stage >= 1; --stage) {
      script.exchange(partner(rank, stage), stage, halves && stage == stages_ ? rest : mine, mine);
      script.compute(exchange_ + element_ * rows);  // adds what has come
    }
    if (stages_ == 0) return;
    const Rank other = transposed(rank);
    script.exchange(other.value(), 1, mine, word * part_of(other));
    script.compute(exchange_);
  }

  /// Rows of the matrix that the rank's row of the grid has.
  std::uint64_t segment_of(Rank rank) const {
    const auto row = rank.value() / columns_;
    return static_cast<std::uint64_t>(size_.rows / rows_ + (row < size_.rows % rows_ ? 1 : 0));
  }
  /// The elements of which the rank has the sum: all of a segment, or half where the grid has two columns for each row.
  std::uint64_t part_of(Rank rank) const {
    if (rows_ == columns_) return segment_of(rank);
    return (segment_of(rank) + (rank.value() % 2 == 0 ? 1 : 0)) / 2;
  }

  Rank transposed(Rank rank) const {
    const auto pairs = columns_ / rows_;  // 1 or 2 columns that belong to a row
    const auto me = rank.value() / pairs;
    return Rank(pairs * (me % rows_ * rows_ + me / rows_) + rank.value() % pairs);
  }

  Size size_ = sizes[problem()];
  int stages_ = std::bit_width(static_cast<std::uint32_t>(ranks())) / 2;  ///< stages of a sum over a row
  std::int32_t columns_ = 1 << stages_, rows_ = ranks() / columns_;
  double setup_ = given(setup), matrix_row_ = given(matrix_row), nonzero_ = given(nonzero), element_ = given(element),
         exchange_ = given(exchange);
};

}  // namespace

Kind cg_benchmark() {
  return {"cg",
          "NPB: conjugate gradient",
          "a power of two",
          [](std::int32_t ranks, ProblemClass) { return std::has_single_bit(static_cast<std::uint32_t>(ranks)); },
          make<ConjugateGradient>,
          all_costs<setup, matrix_row, nonzero, element, exchange>};
}

}  // namespace toroid::workloads::npb
