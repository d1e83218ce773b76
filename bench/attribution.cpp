// How well the charges of `simulate --job` say what neighbours cost, beside exact Shapley values.
//
//   attribution [--mixes 60] [--jobs 4] [--seed 1] [--verbose]
//
// runs random mixes (mixes.hpp), each with all jobs and, for the Shapley values, in all combinations. Told are the
// correlation of the charges with the values, over all pairs of jobs, as shares of the victim's run time; and which
// part of what a job lost is charged to others. The last line is of the split by shared links, which `schedule` has.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/mixes.hpp"
#include "bench/split_by_links.hpp"
#include "tests/netsim/shapley.hpp"

using namespace toroid;

int main(int argc, char** argv) {
  CLI::App app{"charges beside Shapley values"};
  std::size_t mixes = 60, jobs = 4;
  std::uint64_t seed = 1;
  bool verbose = false;
  app.add_option("--mixes", mixes)->capture_default_str();
  app.add_option("--jobs", jobs)->capture_default_str()->check(CLI::Range(2, 4));
  app.add_option("--seed", seed)->capture_default_str();
  app.add_flag("--verbose", verbose);
  CLI11_PARSE(app, argc, argv);
  bench::Comparison comparison, by_links;
  for (std::size_t i = 0; i < mixes; ++i) {
    const bench::Mix mix(seed + i, jobs);
    const auto request = mix.request();
    auto result = netsim::run(request);
    for (std::size_t job = 0; job < jobs; ++job) result.jobs[job].alone = mix.alone()[job];
    const auto exact = test::shapley_losses(request, result);
    comparison.add(result, exact);
    auto split = result;
    const auto losses = bench::split_by_links(mix, result);
    for (std::size_t job = 0; job < jobs; ++job) split.jobs[job].charges = losses[job];
    by_links.add(split, exact);
    for (std::size_t victim = 0; verbose && victim < jobs; ++victim) {
      const auto& job = result.jobs[victim];
      const double percent = 100 / (*job.runtime() * static_cast<double>(job.rounds.size()));
      fmt::print("{:<8} {:<55} x{:<3} lost {:5.1f} %:", seed + i, request.jobs[victim].name, job.rounds.size(),
                 percent * *job.lost());
      for (std::size_t other = 0; other < jobs; ++other)
        fmt::print("  {:5.1f} / {:5.1f}", percent * job.charges[other], percent * exact[victim][other]);
      fmt::print("\n");
    }
  }
  fmt::print("{} mixes of {} jobs: correlation {:.4f} over {} pairs\n", mixes, jobs, comparison.correlation(),
             comparison.pairs());
  fmt::print("charged over lost, {} jobs: median {:.3f}, quartiles {:.3f} and {:.3f}\n", comparison.victims(),
             comparison.quantile(0.5), comparison.quantile(0.25), comparison.quantile(0.75));
  fmt::print("split by shared links: correlation {:.4f}\n", by_links.correlation());
}
