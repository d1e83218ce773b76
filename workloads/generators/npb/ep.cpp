#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

constexpr ByClass<int> log_pairs(24, 25, 28, 30, 32, 36);  ///< of random numbers
constexpr int log_batch = 16;                              ///< pairs that are computed at a time, by one rank

/// Embarrassingly parallel: pairs of normally distributed random numbers, counted in ten rings.
class EmbarrassinglyParallel final : public Benchmark {
 public:
  explicit EmbarrassinglyParallel(const Request& request)
      : Benchmark(request, {1, static_cast<double>(std::uint64_t{2} << log_pairs[request.problem]), 7.1519}) {}

 private:
  void begin(Rank, Script& script) const override {
    script.collective(OpKind::bcast, integer);
    script.collective(OpKind::barrier);
  }
  void iterate(Rank, std::int32_t, Script& script) const override {
    constexpr double all = 2;  // there is no warming up, so what is meant for it is part of this
    script.compute(all);
    script.collective(OpKind::allreduce, word);
    script.collective(OpKind::allreduce, word);
    script.collective(OpKind::allreduce, 10 * word);
  }
  void finish(Rank, Script& script) const override { script.collective(OpKind::allreduce, word); }
};

bool runs_on(std::int32_t ranks, ProblemClass problem) {
  return ranks <= std::int64_t{1} << (log_pairs[problem] - log_batch);
}

}  // namespace

Kind ep_benchmark() {
  return {"ep", "NPB: embarrassingly parallel", "at most 2^(m-16) ranks, for 2^m pairs", runs_on,
          make<EmbarrassinglyParallel>};
}

}  // namespace toroid::workloads::npb
