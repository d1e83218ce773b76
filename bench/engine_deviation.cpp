// How far engines are from flits that they were not made from, and how much of that two placements of a program have in
// common: the numbers in netsim/engines/engines.cpp. Four programs in random places run on machines with routers of all
// kinds, flit by flit (tests/netsim/flits.hpp) and by each engine. What is estimated from some of them is then judged
// on those that were kept back: all on a kind of machine, of a shape, or of a program.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "bench/measure.hpp"
#include "core/distributions.hpp"
#include "core/random.hpp"
#include "netsim/network.hpp"
#include "study/draws.hpp"
#include "tests/netsim/flit_cases.hpp"

using namespace toroid;
using test::FlitKind;
using test::FlitMessage;
using test::FlitNetwork;

namespace {

constexpr std::int32_t packets_of_a_rank = 64;
constexpr int placements = 4;

const std::vector<std::pair<std::string, FlitKind>> kinds{
    {"mesh", FlitKind::mesh}, {"torus", FlitKind::torus}, {"adaptive mesh", FlitKind::adaptive_mesh}};

struct Shape {
  std::int32_t k, n;
};
constexpr std::array shapes{Shape{8, 2}, Shape{6, 2}, Shape{5, 2}, Shape{4, 3}};

using Program = std::function<std::vector<FlitMessage>(const FlitNetwork&, core::Random&)>;

/// A grid of the machine's shape, each rank with its neighbours.
std::vector<FlitMessage> stencil(const FlitNetwork& network, core::Random&) {
  std::vector<FlitMessage> messages;
  for (std::int32_t rank = 0; rank < nodes(network); ++rank)
    for (std::int32_t d = 0, stride = 1; d < network.n; ++d, stride *= network.k) {
      const auto x = rank / stride % network.k;
      for (const std::int32_t step : {1, -1})
        if (x + step >= 0 && x + step < network.k)
          messages.push_back({rank, rank + step * stride, packets_of_a_rank / (2 * network.n)});
    }
  return messages;
}

/// Each rank with those whose numbers differ from its own in one bit.
std::vector<FlitMessage> butterfly(const FlitNetwork& network, core::Random&) {
  std::vector<FlitMessage> messages;
  for (std::int32_t rank = 0; rank < nodes(network); ++rank)
    for (std::int32_t bit = 1; bit < nodes(network); bit *= 2)
      if ((rank ^ bit) < nodes(network)) messages.push_back({rank, rank ^ bit, packets_of_a_rank / 6});
  return messages;
}

const std::vector<std::pair<std::string, Program>> programs{
    {"permutation",
     [](auto& network, auto& random) { return test::random_permutation(random, nodes(network), packets_of_a_rank); }},
    {"random packets",
     [](auto& network, auto& random) { return test::uniform_traffic(random, nodes(network), packets_of_a_rank); }},
    {"stencil", stencil},
    {"butterfly", butterfly}};

/// A program on a machine: by placement, what flits take over what the engine says.
struct Case {
  std::string kind, shape, program;
  std::vector<double> ratios = {};
};
using Cases = std::vector<Case>;

/// The cases of `packet`, and those of `fluid`.
using Measured = std::pair<Cases, Cases>;

void add_case(const FlitNetwork& network, const Case& which, const Program& program, core::Random& random,
              Measured& all) {
  auto &by_packets = all.first.emplace_back(which), &by_flows = all.second.emplace_back(which);
  const auto ranks = program(network, random);
  const auto packet = test::packet_engine_of(network);
  for (int placement = 0; placement < placements; ++placement) {
    std::vector<std::int32_t> node_of;
    for (std::int32_t node = 0; node < nodes(network); ++node) node_of.push_back(node);
    random.shuffle(node_of);
    auto messages = ranks;
    for (auto& [from, to, packets] : messages) {
      from = node_of[static_cast<std::size_t>(from)];
      to = node_of[static_cast<std::size_t>(to)];
    }
    const double cycles = test::cycles_by_flits(network, messages, random);
    by_packets.ratios.push_back(cycles / test::cycles_by(packet, network, messages));
    by_flows.ratios.push_back(cycles / test::cycles_by("fluid", network, messages));
  }
}

/// Measures on machines of all shapes, or of one.
Measured measure(std::uint64_t seeds, const std::string& only) {
  Measured all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    core::Random random(seed, "engine_deviation");
    for (const auto& shape : shapes) {
      const auto shape_name = fmt::format("{}^{}", shape.k, shape.n);
      if (!only.empty() && only != shape_name) continue;
      for (const auto& [kind_name, kind] : kinds) {
        const auto network = test::random_flit_network(random, shape.k, shape.n, kind);
        for (const auto& [name, program] : programs)
          add_case(network, {kind_name, shape_name, name}, program, random, all);
      }
    }
  }
  return all;
}

/// The lists of a netsim::Deviation, estimated from cases: effects of programs and of their placements, as of groups
/// and members in an analysis of variance with random effects.
struct Estimate {
  std::vector<double> programs, placements;
  double common;  ///< the share of programs in the variance of logarithms
};

/// The geometric mean of each tenth of the values, of which the logarithms are given.
std::vector<double> means_of_tenths(std::vector<double> logarithms) {
  constexpr std::size_t count = 10;
  std::sort(logarithms.begin(), logarithms.end());
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = i * logarithms.size() / count, end = (i + 1) * logarithms.size() / count;
    all.push_back(std::exp(study::mean(std::span(logarithms).subspan(begin, std::max(end, begin + 1) - begin))));
  }
  return all;
}

double mean_square(std::vector<double> values) {
  for (double& value : values) value *= value;
  return study::mean(values);
}

Estimate estimate(const Cases& cases) {
  std::vector<double> means, own;
  for (const auto& one : cases) {
    double mean = 0;
    for (const double ratio : one.ratios) mean += std::log(ratio) / placements;
    means.push_back(mean);
    // The mean of so many follows each of them: what is left varies by less than a placement does.
    for (const double ratio : one.ratios)
      own.push_back((std::log(ratio) - mean) * std::sqrt(placements / (placements - 1.0)));
  }
  const double middle = study::mean(means);
  for (auto& mean : means) mean -= middle;
  // Means of programs also vary by what their placements have of their own.
  const double of_means = mean_square(means), of_own = mean_square(own);
  const double of_programs = std::max(0.0, of_means - of_own / placements);
  for (auto& mean : means) mean = middle + mean * std::sqrt(of_programs / of_means);
  return {means_of_tenths(means), means_of_tenths(own), of_programs / (of_programs + of_own)};
}

/// How often the interval of an estimate holds what flits take, and the ratio of two placements.
struct Coverage {
  std::vector<double> times, pairs;  ///< 1 for what it holds, else 0

  void add(const Estimate& estimate, const Cases& cases) {
    const netsim::Deviation deviation{estimate.programs, estimate.placements};
    const std::vector<study::DrawnTime> time{{1, 1}};
    const std::vector<study::DrawnPair> pair{{time[0], time[0]}};
    const auto of_time = study::predicted_time(time, deviation);
    const auto of_pair = study::predicted_ratio(pair, deviation).interval;
    const auto is_in = [](double value, const study::Interval& interval) {
      return interval.low <= value && value <= interval.high ? 1 : 0;
    };
    for (const auto& one : cases)
      for (std::size_t i = 0; i < one.ratios.size(); ++i) {
        times.push_back(is_in(one.ratios[i], of_time));
        for (std::size_t j = 0; j < i; ++j) pairs.push_back(is_in(one.ratios[i] / one.ratios[j], of_pair));
      }
  }
};

/// Keeps back all cases with the same `member`, one after the other, and estimates from the others.
Coverage keep_back(const Cases& cases, std::string Case::*member) {
  std::map<std::string, std::pair<Cases, Cases>> splits;  // what is kept back by its name: its cases, and the others
  for (const auto& one : cases) splits[one.*member];
  for (auto& [name, split] : splits)
    for (const auto& one : cases) (one.*member == name ? split.first : split.second).push_back(one);
  Coverage all;
  if (splits.size() > 1)
    for (const auto& [name, split] : splits) all.add(estimate(split.second), split.first);
  return all;
}

void print(const std::string& engine, const Cases& cases) {
  std::vector<double> errors, all;
  for (const auto& one : cases)
    for (const double ratio : one.ratios) {
      errors.push_back(std::abs(1 / ratio - 1));
      all.push_back(ratio);
    }
  std::sort(all.begin(), all.end());
  const auto found = estimate(cases);
  fmt::print("| `{}` | {} | {:.1f} % | {:.0f} % | {:+.0f} to {:+.0f} % | {:.2f} |", engine, all.size(),
             100 * study::mean(errors), 100 * *std::ranges::max_element(errors), 100 * (core::quantile(all, 0.05) - 1),
             100 * (core::quantile(all, 0.95) - 1), found.common);
  for (const auto member : {&Case::kind, &Case::shape, &Case::program}) {
    const auto c = keep_back(cases, member);
    const auto share = [](const std::vector<double>& all_of) {
      return all_of.empty() ? std::string("-") : fmt::format("{:.0f} %", 100 * study::mean(all_of));
    };
    fmt::print(" {}, {} |", share(c.times), share(c.pairs));
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Measures how far engines are from flits; the numbers of netsim/engines/engines.cpp go to the standard error.");
  std::uint64_t seeds = 6;
  std::string shape;
  app.add_option("--seeds", seeds, "machines of each kind and shape")->check(CLI::PositiveNumber);
  app.add_option("--shape", shape, "of machines: 8^2, 6^2, 5^2 or 4^3 (default: all)");
  return bench::run_program(app, argc, argv, [&] {
    const auto all = measure(seeds, shape);
    for (const auto* cases : {&all.first, &all.second}) {
      const auto found = estimate(*cases);
      fmt::print(stderr, "programs {:.3f}\nplacements {:.3f}\n", fmt::join(found.programs, ", "),
                 fmt::join(found.placements, ", "));
    }
    fmt::print(
        "| engine | runs | mean error | worst | nine of ten flit-level times, beside the engine's | in common | kind "
        "kept back: times, ratios in the interval | shape kept back | program kept back |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    print("packet", all.first);
    print("fluid", all.second);
    return 0;
  });
}
