#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

constexpr ByClass<int> log_pairs(24, 25, 28, 30, 32, 36);  ///< logarithm of the number of pairs of random numbers
constexpr int log_batch = 16;                              ///< pairs that are computed at a time, by one rank

const Cost setup{"setup", "what a rank computes before, however many pairs there are", core::flops(), "411kf"};
const Cost pair{"pair", "for each pair of random numbers", core::flops(), "14.2f"};

/// Embarrassingly parallel: pairs of normally distributed random numbers, counted in ten rings.
class EmbarrassinglyParallel final : public Benchmark {
 public:
  explicit EmbarrassinglyParallel(const Request& request) : Benchmark(request, 1) {}

 private:
  void begin(Rank, Script& script) const override {
    script.collective(OpKind::bcast, integer);
    script.compute(setup_);
    script.collective(OpKind::barrier);
  }
  void iterate(Rank, std::int32_t, Script& script) const override {
    script.compute(pairs_);
    script.collective(OpKind::allreduce, word);
    script.collective(OpKind::allreduce, word);
    script.collective(OpKind::allreduce, 10 * word);
  }
  void finish(Rank, Script& script) const override { script.collective(OpKind::allreduce, word); }

  // Flops of a rank.
  double setup_ = given(setup), pairs_ = given(pair) * std::ldexp(1.0, log_pairs[problem()]) / ranks();
};

}  // namespace

Kind ep_benchmark() {
  return {"ep",
          "NPB: embarrassingly parallel",
          "at most 2^(m-16) ranks, for 2^m pairs",
          [](std::int32_t ranks, ProblemClass problem) {
            return ranks <= std::int64_t{1} << (log_pairs[problem] - log_batch);
          },
          make<EmbarrassinglyParallel>,
          all_costs<setup, pair>};
}

}  // namespace toroid::workloads::npb
