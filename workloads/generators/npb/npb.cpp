
#include "workloads/generators/npb/benchmark.hpp"

// The benchmarks, a line each: the function that describes it.
// clang-format off
#define BENCHMARKS(line)  \
  line(bt_benchmark)      \
  line(cg_benchmark)      \
  line(ep_benchmark)      \
  line(ft_benchmark)      \
  line(ft_pair_benchmark) \
  line(is_benchmark)      \
  line(lu_benchmark)      \
  line(mg_benchmark)      \
  line(sp_benchmark)
// clang-format on

namespace toroid::workloads {
namespace npb {

#define DECLARE(kind) Kind kind();
BENCHMARKS(DECLARE)

namespace {

constexpr std::int32_t most_ranks = 1 << 20;

std::int32_t checked_iterations(const Request& request, std::int32_t all) {
  if (request.iterations.value_or(0) > all)
    core::fail_input("'{}': iterations={}: expected at most {}, which is all that the benchmark has",
                     core::excerpt(request.name), *request.iterations, all);
  return request.iterations.value_or(all);
}

/// The request's name, with the true number of iterations if it asks for fewer.
std::string name_of(const Request& request, std::int32_t all) {
  const auto iterations = checked_iterations(request, all);
  if (iterations == all) return request.name;
  return fmt::format("{} ({} of {} iterations)", request.name, iterations, all);
}

std::vector<std::pair<std::string_view, Kind>> kinds() {
#define CALL(kind) {kind().name, kind()},
  return {BENCHMARKS(CALL)};
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
  const Request request{arguments.spec().text(), arguments[problem_class],
                        arguments[rank_count],   arguments[iteration_count],
                        scatter(arguments),      core::Arguments(arguments.spec(), kind.costs())};
  if (!kind.runs_on(request.ranks, request.problem))
    core::fail_input("'{}': ranks={}: {} of that class runs on {}; nearby: {}", core::excerpt(request.name),
                     request.ranks, kind.name, kind.ranks, nearby(kind, request.problem, request.ranks));
  return kind.make(request);
}

/// The benchmark that has the generator's name.
std::unique_ptr<Trace> make_named(const core::Arguments& arguments) {
  for (const auto& [name, kind] : kinds())
    if (name == arguments.spec().name()) return make_benchmark(kind, arguments);
  TOROID_ASSERT(false);
  return nullptr;
}

}  // namespace

Benchmark::Benchmark(const Request& request, std::int32_t iterations)
    : IteratedTrace(name_of(request, iterations), request.ranks, checked_iterations(request, iterations), 1,
                    request.scatter) {}

}  // namespace npb

std::vector<core::Entry<MakeTrace>> npb_generators() {
  using namespace npb;
  std::vector<core::Entry<MakeTrace>> entries{
      {"npb",
       "a NAS Parallel Benchmark, message for message",
       [](const core::Arguments& arguments) { return make_benchmark(arguments[bench], arguments); },
       {bench, problem_class, rank_count, iteration_count, imbalance(), noise(), jitter()}}};
  for (const auto& [name, kind] : kinds()) {
    std::vector<core::AnyParameter> keys{problem_class, rank_count, iteration_count};
    const auto costs = kind.costs();
    keys.insert(keys.end(), costs.begin(), costs.end());
    keys.push_back(imbalance());
    keys.push_back(noise());
    keys.push_back(jitter());
    entries.push_back({name, kind.help, make_named, std::move(keys)});
  }
  return entries;
}

}  // namespace toroid::workloads
