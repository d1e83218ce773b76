// How well a sample of iterations tells the run time of a program whose iterations differ, and what it saves: noisy
// programs drawn by lot, each simulated whole and by sample, in CPU seconds of the runs without the process around
// them. With --network iterations differ by what the network does alone. The last line counts the whole runs that are
// within the 95 % interval of the sample.
//
//   sampling [--cases 40] [--seed 1] [--width 0.01] [--iterations 2000] [--network]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "bench/measure.hpp"
#include "bench/noisy_programs.hpp"

namespace {

using namespace toroid;

struct Timed {
  netsim::Result result;
  double cpu_s = 0;
};

Timed timed(const bench::NoisyRun& run, netsim::Repeats repeats, double width) {
  const double before = bench::cpu_seconds();
  auto result = run.run(repeats, width);
  return {std::move(result), bench::cpu_seconds() - before};
}

struct Sums {
  int sampled = 0, inside = 0, whole = 0;
  double full_s = 0, sample_s = 0, interval = 0;
};

void measure(const bench::NoisyCase& c, double width, Sums& sums) {
  const bench::NoisyRun run(c);
  const auto full = timed(run, netsim::Repeats::off, width), sample = timed(run, netsim::Repeats::sample, width);
  sums.full_s += full.cpu_s;
  sums.sample_s += sample.cpu_s;
  fmt::print("{:<58} {:<44} {:<18} {:<11} {:.2f} {:.2f} {:8.2f} ", c.program, c.machine, c.engine,
             bench::noise_names[static_cast<std::size_t>(c.noise.kind)], c.noise.strength, c.noise.extent, full.cpu_s);
  const auto& s = sample.result.sampled;
  if (!s || !s->is_estimate()) {
    ++sums.whole;
    fmt::print("whole: {}\n", s ? s->why_whole : "repeats exactly");
  } else {
    const double off = sample.result.runtime - full.result.runtime;
    const bool is_inside = std::abs(off) <= s->half_width;
    ++sums.sampled;
    sums.inside += is_inside ? 1 : 0;
    sums.interval += s->half_width / sample.result.runtime;
    fmt::print("{:6.2f} {:5} of {:5} {:3} {:+8.3f} % {:7.3f} % {}\n", full.cpu_s / sample.cpu_s,
               s->iterations - s->left_out, s->iterations, s->clusters, 100 * off / full.result.runtime,
               100 * s->half_width / sample.result.runtime, is_inside ? "in" : "OUT");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::uint64_t cases = 40, seed = 1, iterations = 2000;
  double width = 0.01;
  bool network = false;
  CLI::App app("How well a sample of iterations tells the run time");
  app.add_option("--cases", cases)->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--width", width)->capture_default_str();
  app.add_option("--iterations", iterations)->capture_default_str()->check(CLI::Range(100, 1'000'000));
  app.add_flag("--network", network, "nothing is computed");
  CLI11_PARSE(app, count, arguments);
  try {
    core::Random random(seed, "noisy programs");
    Sums sums;
    fmt::print("{:<58} {:<44} {:<18} {:<11} {:<9} {:>8} {:>6} {:>14} {:>3} {:>10} {:>9}\n", "program", "machine",
               "engine", "noise", "by", "whole, s", "times", "simulated", "of", "differs", "interval");
    const auto any_case = [&] {
      return network ? bench::any_case_of_network(random, iterations) : bench::any_noisy_case(random, iterations);
    };
    for (std::uint64_t i = 0; i < cases; ++i) measure(any_case(), width, sums);
    fmt::print(
        "{} of {} within the interval, of {:.2f} % on average, {} more simulated whole; {:.1f} times as fast in all\n",
        sums.inside, sums.sampled, 100 * sums.interval / std::max(1, sums.sampled), sums.whole,
        sums.full_s / sums.sample_s);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sampling: {}\n", error.what());
    return 1;
  }
}
