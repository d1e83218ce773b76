#include <bit>
#include <cmath>

#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {
namespace {

const core::Parameter<std::int32_t> rank_count{
    "ranks",
    "number of ranks",
    {"a power of four up to 4^12: 4, 16, 64, 256, ...",
     [](std::string_view text, const core::Place&) -> std::optional<std::int32_t> {
       const auto n = core::parse_number<std::uint32_t>(text);
       const bool fits = n && std::has_single_bit(*n) && std::countr_zero(*n) % 2 == 0;
       return fits && *n <= 1U << 24U ? std::optional(static_cast<std::int32_t>(*n)) : std::nullopt;
     }},
    "64"};
const core::Parameter<std::uint64_t> steps{"steps", "iterations",
                                           core::whole(std::uint64_t{0}, std::uint64_t{1} << 40U), "25"};
const core::Parameter<std::uint64_t> bytes{"bytes", "bytes of a vector segment", core::whole_bytes(), "14000"};
const core::Parameter<double> flops{"flops", "computation per rank and iteration", core::speed(), "100kf"};

/// The communication skeleton of a conjugate-gradient solver with its matrix on a square grid of ranks (as NPB CG has
/// it): sums over the row by exchanges at distances 1, 2, 4, ..., a swap with the transposed rank, two dot products.
class ConjugateGradient final : public GeneratedTrace {
 public:
  explicit ConjugateGradient(const core::Arguments& arguments)
      : GeneratedTrace(arguments.spec().text(), arguments[rank_count]),
        side_(static_cast<std::int32_t>(std::lround(std::sqrt(arguments[rank_count])))),
        steps_(arguments[steps]),
        bytes_(arguments[bytes]),
        flops_(arguments[flops]) {}

  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const override {
    if (step >= steps_) return false;
    const auto row = rank.value() / side_, column = rank.value() % side_;
    if (flops_ > 0) out.push_back({.kind = OpKind::compute, .amount = flops_});
    sum_over_row(row, column, bytes_, out);
    swap(column * side_ + row, bytes_, out);
    sum_over_row(row, column, sizeof(double), out);
    sum_over_row(row, column, sizeof(double), out);
    return true;
  }

 private:
  void sum_over_row(std::int32_t row, std::int32_t column, std::uint64_t size, std::vector<Operation>& out) const {
    for (std::int32_t distance = 1; distance < side_; distance *= 2) swap(row * side_ + (column ^ distance), size, out);
  }

  static void swap(CommRank partner, std::uint64_t size, std::vector<Operation>& out) {
    constexpr RequestHandle receive = 0;
    out.push_back({.kind = OpKind::irecv, .from = partner, .request = receive, .bytes = size});
    out.push_back({.kind = OpKind::send, .to = partner, .bytes = size});
    out.push_back({.kind = OpKind::wait, .request = receive});
  }

  std::int32_t side_;
  std::uint64_t steps_, bytes_;
  double flops_;
};

}  // namespace

core::Entry<MakeTrace> cg_generator() {
  return {"cg",
          "conjugate gradient on a square grid of ranks",
          [](const core::Arguments& arguments) -> std::unique_ptr<Trace> {
            return std::make_unique<ConjugateGradient>(arguments);
          },
          {rank_count, steps, bytes, flops}};
}

}  // namespace toroid::workloads
