#include "netsim/faster_ways.hpp"

#include <fmt/format.h>

#include "netsim/repeats/sampling_plan.hpp"

namespace toroid::netsim {
namespace {

constexpr double long_seconds = 10;

bool could_be_sampled(const RunRequest& request, const Result& result) {
  return request.options.repeats == Repeats::exact && result.repeated.empty() && untold_by_samples(request).empty() &&
         request.trace.rounds(workloads::Rank(0)).count >= SamplingPlan::least_iterations;
}

}  // namespace

/// An engine with keys may have another model, so no engine is named then.
std::string_view faster_engine(const EngineChoice& engine) {
  return engine.arguments().spec().parameters().empty() ? engine.thing().faster : std::string_view();
}

std::vector<std::string> faster_ways(const RunRequest& request, const Result& result, double seconds) {
  std::vector<std::string> ways;
  if (seconds <= long_seconds) return ways;
  if (const auto faster = faster_engine(request.engine); !faster.empty())
    ways.push_back(fmt::format("--engine {} solves the same model 10 to 100 times faster; --verify checks it", faster));
  else if (could_be_sampled(request, result))
    ways.emplace_back(
        "no iterations were found to repeat others; --repeats sample:1% estimates the run time from a part of them");
  return ways;
}

}  // namespace toroid::netsim
