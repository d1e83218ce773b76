#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {
namespace {

const core::Parameter<std::vector<std::int32_t>> grid{
    "grid", "rows and columns of the grid of ranks, rank = column + columns * row", core::extents(2, 1 << 24U), "8x8"};
const core::Parameter<std::uint64_t> order{"order", "rows of the matrix",
                                           core::whole(std::uint64_t{1}, std::uint64_t{1} << 24U), "8192"};
const core::Parameter<std::uint64_t> block{"block", "rows of a block",
                                           core::whole(std::uint64_t{1}, std::uint64_t{1} << 24U), "64"};
const core::Parameter<std::int32_t> steps{"steps", "transpositions", core::whole<std::int32_t>(0, 1'000'000'000), "5"};
const core::Parameter<double> flops{"flops", "computation for each element of the matrix", core::flops(), "2f"};

std::int32_t columns_of(const core::Arguments& arguments) {
  if (arguments[grid].size() != 2)
    core::fail_input("'{}': grid: expected rows and columns, such as 8x8", core::excerpt(arguments.spec().text()));
  return arguments[grid][1];
}

/// Number of k in 0 .. count-1 with k = a mod p and k = b mod q, where a and b agree modulo gcd(p, q).
std::uint64_t common(std::uint64_t count, std::int32_t a, std::int32_t p, std::int32_t b, std::int32_t q) {
  const auto period = static_cast<std::uint64_t>(std::lcm(std::int64_t{p}, std::int64_t{q}));
  auto first = static_cast<std::uint64_t>(a);
  while (first % static_cast<std::uint64_t>(q) != static_cast<std::uint64_t>(b)) first += static_cast<std::uint64_t>(p);
  return first < count ? (count - 1 - first) / period + 1 : 0;
}

/// PTRANS of the HPC Challenge: A = A^T + B, of a matrix that is dealt out to a grid of ranks block by block, in both
/// directions. Each pair of ranks that have blocks for one another exchanges them in one message each way. J. Choi, J.
/// Dongarra, D. Walker, Parallel matrix transpose algorithms on distributed memory concurrent computers, Parallel
/// Computing 21, 1995.
class Transposition final : public IteratedTrace {
 public:
  explicit Transposition(const core::Arguments& arguments)
      : IteratedTrace(arguments, arguments[grid][0] * columns_of(arguments), arguments[steps],
                      arguments[flops] * static_cast<double>(arguments[order]) * static_cast<double>(arguments[order]) /
                          (arguments[grid][0] * columns_of(arguments))) {}

 private:
  void iterate(Rank rank, std::int32_t, Script& script) const override {
    RequestHandle requests = 0;
    for_partners(rank, [&](CommRank partner) {
      if (const auto size = bytes(Rank(partner), rank); size > 0) script.irecv(partner, 0, size, requests++);
    });
    for_partners(rank, [&](CommRank partner) {
      if (const auto size = bytes(rank, Rank(partner)); size > 0) script.isend(partner, 0, size, requests++);
    });
    if (requests > 0) script.add({.kind = OpKind::waitall, .requests = std::span(handles_).first(requests)});
    script.compute(1);
  }

  /// Calls `act` with each rank that may have blocks for this one: those whose row is its column, and whose column is
  /// its row, modulo the greatest common divisor of the grid's sides. They come in another order for each rank.
  template <class Act>
  void for_partners(Rank rank, Act act) const {
    const auto row = rank.value() / columns_, column = rank.value() % columns_;
    for (std::int32_t i = 0; i < rows_ / divisor_; ++i)
      for (std::int32_t j = 0; j < columns_ / divisor_; ++j) {
        const auto to_row = (column + i * divisor_) % rows_, to_column = (row + j * divisor_) % columns_;
        if (const auto partner = to_row * columns_ + to_column; partner != rank.value()) act(partner);
      }
  }

  /// The bytes of what one rank has and another needs: rows of blocks that are the first one's row and the other's
  /// column, columns of blocks that are the first one's column and the other's row.
  std::uint64_t bytes(Rank from, Rank to) const {
    const auto row = from.value() / columns_, column = from.value() % columns_;
    const auto to_row = to.value() / columns_, to_column = to.value() % columns_;
    return word * elements(row, rows_, to_column, columns_) * elements(column, columns_, to_row, rows_);
  }

  /// Rows of the matrix in blocks k with k = a mod p and k = b mod q. The last block may be shorter.
  std::uint64_t elements(std::int32_t a, std::int32_t p, std::int32_t b, std::int32_t q) const {
    const auto whole = order_ / block_;
    const bool has_rest = order_ % block_ > 0 && common(whole + 1, a, p, b, q) > common(whole, a, p, b, q);
    return common(whole, a, p, b, q) * block_ + (has_rest ? order_ % block_ : 0);
  }

  std::int32_t rows_ = given(grid)[0], columns_ = given(grid)[1], divisor_ = std::gcd(rows_, columns_);
  std::uint64_t order_ = given(order), block_ = given(block);
  std::size_t partners_ = static_cast<std::size_t>(rows_ / divisor_) * static_cast<std::size_t>(columns_ / divisor_);
  std::vector<RequestHandle> handles_ = handles_below(2 * partners_);  ///< two messages with each
};

}  // namespace

core::Entry<MakeTrace> ptrans_generator() {
  return {"ptrans",
          "transposition of a block-cyclic matrix (HPC Challenge)",
          make_trace<Transposition>,
          {grid, order, block, steps, flops}};
}

}  // namespace toroid::workloads
