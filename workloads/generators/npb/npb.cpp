#include "workloads/generators/npb/benchmark.hpp"

#include "core/entries.hpp"

namespace toroid::workloads {
namespace npb {

// The benchmarks, each by the function that describes it.
TOROID_ENTRIES(Kind, benchmarks, bt_benchmark, cg_benchmark, ep_benchmark, ft_benchmark, ft_pair_benchmark,
               is_benchmark, lu_benchmark, mg_benchmark, sp_benchmark)

namespace {

constexpr std::int32_t most_ranks = 1 << 20;

std::int32_t checked_iterations(const Request& request, std::int32_t all) {
  if (request.iterations.value_or(0) > all)
    core::fail_input("'{}': iterations={}: expected at most {}, which is all that the benchmark has",
                     core::excerpt(request.costs.spec().text()), *request.iterations, all);
  return request.iterations.value_or(all);
}

std::vector<std::pair<std::string_view, Kind>> kinds() {
  std::vector<std::pair<std::string_view, Kind>> all;
  for (const auto& kind : benchmarks()) all.emplace_back(kind.name, kind);
  return all;
}

const core::Parameter<Kind> bench{"bench", "the benchmark", core::one_of(kinds()), "cg"};
const core::Parameter<ProblemClass> problem_class{"class", "size of the problem",
                                                  core::one_of<ProblemClass>({{"S", ProblemClass::S},
                                                                              {"W", ProblemClass::W},
                                                                              {"A", ProblemClass::A},
                                                                              {"B", ProblemClass::B},
                                                                              {"C", ProblemClass::C},
                                                                              {"D", ProblemClass::D}}),
                                                  "A"};
const core::Parameter<std::int32_t> rank_count{"ranks", "number of ranks; which, depends on the benchmark",
                                               core::whole<std::int32_t>(1, most_ranks), "64"};
const core::OptionalParameter<std::int32_t> iteration_count{
    "iterations", "iterations that are timed", core::whole<std::int32_t>(1, 1'000'000), "all of the benchmark"};

/// The nearest numbers below and above on which the benchmark runs: `36 or 49`.
std::string nearby(const Kind& kind, ProblemClass problem, std::int32_t ranks) {
  std::vector<std::string> found;
  for (const int direction : {-1, +1}) {
    std::int32_t n = ranks + direction;
    while (n >= 1 && n <= most_ranks && !kind.runs_on(n, problem)) n += direction;
    if (n >= 1 && n <= most_ranks) found.push_back(std::to_string(n));
  }
  return core::either(found);
}

std::unique_ptr<Trace> make_benchmark(const Kind& kind, const core::Arguments& arguments) {
  const Request request{arguments[problem_class], arguments[rank_count], arguments[iteration_count], scatter(arguments),
                        core::Arguments(arguments.spec(), kind.costs())};
  if (!kind.runs_on(request.ranks, request.problem))
    core::fail_input("'{}': ranks={}: {} of that class runs on {}; nearby: {}", core::excerpt(arguments.spec().text()),
                     request.ranks, kind.name, kind.ranks, nearby(kind, request.problem, request.ranks));
  return kind.make(request);
}

}  // namespace

Benchmark::Benchmark(const Request& request, std::int32_t iterations)
    : IteratedTrace(request.costs, request.ranks, checked_iterations(request, iterations), 1, request.scatter,
                    request.iterations.value_or(iterations) == iterations
                        ? ""
                        : fmt::format(" ({} of {} iterations)", *request.iterations, iterations)),
      problem_(request.problem) {}

}  // namespace npb

std::vector<core::Entry<MakeTrace>> npb_generators() {
  using namespace npb;
  std::vector<core::Entry<MakeTrace>> entries{
      {"npb",
       "a NAS Parallel Benchmark, message for message",
       [](const core::Arguments& arguments) { return make_benchmark(arguments[bench], arguments); },
       {bench, problem_class, rank_count, iteration_count, imbalance, noise, jitter}}};
  for (const auto& kind : benchmarks()) {
    std::vector<core::AnyParameter> keys{problem_class, rank_count, iteration_count};
    for (const auto& more : {kind.costs(), std::vector<core::AnyParameter>{imbalance, noise, jitter}})
      keys.insert(keys.end(), more.begin(), more.end());
    const auto make = [kind](const core::Arguments& arguments) { return make_benchmark(kind, arguments); };
    entries.push_back({kind.name, kind.help, make, std::move(keys)});
  }
  return entries;
}

}  // namespace toroid::workloads
