#pragma once
// What the NAS Parallel Benchmarks (version 3.4, MPI) have in common: classes, a start with one iteration to warm up,
// the iterations that are timed, an end. D. Bailey et al., The NAS Parallel Benchmarks, NAS Technical Reports
// RNR-94-007 and 95-020.

#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads::npb {

enum class ProblemClass : std::uint8_t { S, W, A, B, C, D };
inline constexpr std::size_t class_count = 6;

/// A value for each problem class.
template <class T>
class ByClass {
 public:
  template <class... Values>
  constexpr explicit ByClass(Values... values) : values_{values...} {
    static_assert(sizeof...(values) == class_count);
  }
  constexpr const T& operator[](ProblemClass problem) const { return values_[static_cast<std::size_t>(problem)]; }

 private:
  std::array<T, class_count> values_;
};

/// The benchmark that a user asks for.
struct Request {
  ProblemClass problem;
  std::int32_t ranks;
  std::optional<std::int32_t> iterations;  ///< how many iterations; none: all that the class has
  Scatter scatter;
  core::Arguments costs;  ///< values of the keys of Kind::costs, in the spec that names the trace
};

/// A key of a benchmark: what a unit of some work takes, in flops. The defaults are nanoseconds of recorded runs
/// (docs/validation/computation.md).
using Cost = core::Parameter<double>;

/// A benchmark. Its trace begins with everything before the clock is started, the iteration to warm up included.
class Benchmark : public IteratedTrace {
 public:
  /// `iterations` are those that the benchmark times. Throws InputError when the request has more.
  Benchmark(const Request& request, std::int32_t iterations);

 protected:
  ProblemClass problem() const { return problem_; }

 private:
  ProblemClass problem_;
};

/// One of the benchmarks.
struct Kind {
  std::string_view name, help;
  std::string_view ranks;  ///< the numbers of ranks on which the benchmark runs, in words
  bool (*runs_on)(std::int32_t ranks, ProblemClass problem);
  std::unique_ptr<Trace> (*make)(const Request& request);
  /// What its computations are made of. A function, since a table of the kinds is made before all keys are.
  std::vector<core::AnyParameter> (*costs)();
};

/// The costs of a benchmark, as Kind::costs has them.
template <const Cost&... costs>
std::vector<core::AnyParameter> all_costs() {
  return {costs...};
}

/// Makes a benchmark of type T.
template <class T>
std::unique_ptr<Trace> make(const Request& request) {
  return std::make_unique<T>(request);
}

}  // namespace toroid::workloads::npb
