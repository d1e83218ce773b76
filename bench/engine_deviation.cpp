// How far engines are from flits that they were not made from, and how much of that two placements of a program have in
// common: the numbers in netsim/deviation.cpp. Four programs in random places run on machines with routers of all
// kinds, flit by flit (tests/netsim/flits.hpp) and by each engine. What is estimated from some of them is then judged
// on those that were kept back: all on a kind of machine, of a shape, or of a program.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/quantile.hpp"
#include "core/random.hpp"
#include "netsim/network.hpp"
#include "platforms/load.hpp"
#include "study/prediction.hpp"
#include "tests/netsim/flits.hpp"

using namespace toroid;
using test::FlitMessage;
using test::FlitNetwork;

namespace {

constexpr std::int32_t packets_of_a_rank = 64;
constexpr int placements = 4;

struct Kind {
  std::string name;
  bool wraps, adaptive;
};
const std::vector<Kind> kinds{{"mesh", false, false}, {"torus", true, false}, {"adaptive mesh", false, true}};

struct Shape {
  std::int32_t k, n;
};
constexpr std::array shapes{Shape{8, 2}, Shape{6, 2}, Shape{5, 2}, Shape{4, 3}};

std::int32_t node_count(const FlitNetwork& network) {
  return static_cast<std::int32_t>(std::lround(std::pow(network.k, network.n)));
}

using Program = std::function<std::vector<FlitMessage>(const FlitNetwork&, core::Random&)>;

std::vector<FlitMessage> permutation(const FlitNetwork& network, core::Random& random) {
  std::vector<std::int32_t> to;
  for (std::int32_t rank = 0; rank < node_count(network); ++rank) to.push_back(rank);
  random.shuffle(to);
  std::vector<FlitMessage> messages;
  for (std::int32_t rank = 0; rank < node_count(network); ++rank)
    if (const auto other = to[static_cast<std::size_t>(rank)]; other != rank)
      messages.push_back({rank, other, packets_of_a_rank});
  return messages;
}

std::vector<FlitMessage> random_packets(const FlitNetwork& network, core::Random& random) {
  const auto count = node_count(network);
  std::vector<FlitMessage> messages;
  for (std::int32_t rank = 0; rank < count; ++rank)
    for (std::int32_t i = 0; i < packets_of_a_rank; ++i) {
      const auto step = static_cast<std::int32_t>(1 + random.below(static_cast<std::uint64_t>(count) - 1));
      messages.push_back({rank, (rank + step) % count, 1});
    }
  return messages;
}

/// A grid of the machine's shape, each rank with its neighbours.
std::vector<FlitMessage> stencil(const FlitNetwork& network, core::Random&) {
  std::vector<FlitMessage> messages;
  for (std::int32_t rank = 0; rank < node_count(network); ++rank)
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
  for (std::int32_t rank = 0; rank < node_count(network); ++rank)
    for (std::int32_t bit = 1; bit < node_count(network); bit *= 2)
      if ((rank ^ bit) < node_count(network)) messages.push_back({rank, rank ^ bit, packets_of_a_rank / 6});
  return messages;
}

const std::vector<std::pair<std::string, Program>> programs{
    {"permutation", permutation}, {"random packets", random_packets}, {"stencil", stencil}, {"butterfly", butterfly}};

FlitNetwork random_network(const Shape& shape, const Kind& kind, core::Random& random) {
  const auto power = [&](std::uint64_t least, std::uint64_t count) {
    return static_cast<std::int32_t>(std::uint64_t{1} << (least + random.below(count)));
  };
  FlitNetwork network{.k = shape.k,
                      .n = shape.n,
                      .wraps = kind.wraps,
                      .adaptive = kind.adaptive,
                      .channels = power(1, 3),
                      .packet = power(3, 3)};
  network.buffer = network.packet * power(0, 2);
  network.hop = network.wraps ? 4 : 3;
  // Where packets hold links a crossbar of one round of iSLIP leaves links idle that the engine's uses.
  if (network.adaptive) network.speedup = network.channels;
  return network;
}

/// Sends all messages at once, those of a node one after another, and hears when the last one arrives.
class Messages final : public netsim::FlowClient, netsim::TimerClient {
 public:
  Messages(netsim::Network& network, const std::vector<FlitMessage>& messages, std::int32_t packet)
      : network_(network), messages_(messages), packet_(packet) {
    for (std::uint32_t i = 0; i < messages.size(); ++i) network.clock().start_timer(netsim::Time(0.0), *this, i);
  }
  void timer_ended(std::uint32_t i) override {
    const auto& [from, to, packets] = messages_[i];
    network_.start_flow(platforms::NodeId(from), platforms::NodeId(to), static_cast<std::uint64_t>(packets * packet_),
                        *this, i, netsim::Order::node);
  }
  void flow_ended(std::uint32_t, const netsim::FlowEnd&) override { last_ = network_.clock().now().seconds(); }
  double last() const { return last_; }

 private:
  netsim::Network& network_;
  const std::vector<FlitMessage>& messages_;
  std::int32_t packet_;
  double last_ = 0;
};

/// When the last message has arrived by an engine, in cycles: a flit is a byte, and a cycle a nanosecond.
double cycles_by(const std::string& engine, const FlitNetwork& network, const std::vector<FlitMessage>& messages) {
  std::string shape = std::to_string(network.k);
  for (std::int32_t d = 1; d < network.n; ++d) shape += "x" + std::to_string(network.k);
  const auto machine =
      platforms::make_machine(fmt::format("{}:{},bw=1GBps,injection=1GBps,ejection=1GBps,base=5ns,lat={}ns",
                                          network.wraps ? "torus" : "mesh", shape, network.hop));
  netsim::Clock clock;
  const netsim::EngineChoice choice(engine);
  const auto made = choice.thing()(machine, clock, choice.arguments());
  const Messages sent(*made, messages, network.packet);
  clock.run();
  return 1e9 * sent.last();
}

/// The mean cycles by flits, which choose by chance which way they go half round a ring.
double cycles_by_flits(const FlitNetwork& network, const std::vector<FlitMessage>& messages, core::Random& random) {
  const int times = network.wraps && network.k % 2 == 0 ? 3 : 1;
  double sum = 0;
  for (int i = 0; i < times; ++i) sum += static_cast<double>(test::last_flit_arrives(network, messages, random));
  return sum / times;
}

/// A program on a machine: by placement, what flits take over what the engine says.
struct Case {
  std::string kind, shape, program;
  std::vector<double> ratios = {};
};
using Cases = std::vector<Case>;

/// The cases of `packet` and those of `fluid`.
struct Measured {
  Cases packets, flows;
};

void measure(const FlitNetwork& network, const Case& which, const Program& program, core::Random& random,
             Measured& all) {
  auto by_packets = which, by_flows = which;
  const auto ranks = program(network, random);
  const auto packet =
      fmt::format("packet:packet={},vcs={},buffer={},crossbar={},{}", network.packet, network.channels, network.buffer,
                  network.speedup, network.adaptive ? "routing=adaptive" : "ties=split");
  for (int placement = 0; placement < placements; ++placement) {
    std::vector<std::int32_t> node_of;
    for (std::int32_t node = 0; node < node_count(network); ++node) node_of.push_back(node);
    random.shuffle(node_of);
    auto messages = ranks;
    for (auto& [from, to, packets] : messages) {
      from = node_of[static_cast<std::size_t>(from)];
      to = node_of[static_cast<std::size_t>(to)];
    }
    const double cycles = cycles_by_flits(network, messages, random);
    by_packets.ratios.push_back(cycles / cycles_by(packet, network, messages));
    by_flows.ratios.push_back(cycles / cycles_by("fluid", network, messages));
  }
  all.packets.push_back(by_packets);
  all.flows.push_back(by_flows);
}

/// On machines of all shapes, or of one.
Measured measure(std::uint64_t seeds, const std::string& only) {
  Measured all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    core::Random random(seed, "engine_deviation");
    for (const auto& shape : shapes) {
      const auto shape_name = fmt::format("{}^{}", shape.k, shape.n);
      if (!only.empty() && only != shape_name) continue;
      for (const auto& kind : kinds) {
        const auto network = random_network(shape, kind, random);
        for (const auto& [name, program] : programs)
          measure(network, {kind.name, shape_name, name}, program, random, all);
      }
    }
  }
  return all;
}

/// The lists of a netsim::Deviation, estimated from cases: effects of programs and of their placements, as of groups
/// and members in an analysis of variance with random effects.
struct Estimate {
  std::vector<double> programs, placements;
  double common;  ///< of the variance of logarithms, that of programs
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

double mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
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
  std::size_t times = 0, times_in = 0, pairs = 0, pairs_in = 0;

  void add(const Estimate& estimate, const Cases& cases) {
    const netsim::Deviation deviation{estimate.programs, estimate.placements};
    const std::vector<study::DrawnTime> time{{1, 1}};
    const std::vector<study::DrawnPair> pair{{time[0], time[0]}};
    const auto of_time = study::predicted_time(time, deviation);
    const auto of_pair = study::predicted_ratio(pair, deviation).interval;
    const auto is_in = [](double value, const study::Interval& interval) {
      return interval.low <= value && value <= interval.high ? 1U : 0U;
    };
    for (const auto& one : cases)
      for (std::size_t i = 0; i < one.ratios.size(); ++i) {
        ++times;
        times_in += is_in(one.ratios[i], of_time);
        for (std::size_t j = 0; j < i; ++j) {
          ++pairs;
          pairs_in += is_in(one.ratios[i] / one.ratios[j], of_pair);
        }
      }
  }
};

/// Keeps back all cases with the same `member`, one after the other, and estimates from the others.
Coverage keep_back(const Cases& cases, std::string Case::*member) {
  std::map<std::string, std::pair<Cases, Cases>> splits;  // by what is kept back: those, and the others
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
  std::sort(errors.begin(), errors.end());
  std::sort(all.begin(), all.end());
  double mean = 0;
  for (const double error : errors) mean += error / static_cast<double>(errors.size());
  const auto found = estimate(cases);
  fmt::print("| `{}` | {} | {:.1f} % | {:.0f} % | {:+.0f} to {:+.0f} % | {:.2f} |", engine, all.size(), 100 * mean,
             100 * errors.back(), 100 * (core::quantile(all, 0.05) - 1), 100 * (core::quantile(all, 0.95) - 1),
             found.common);
  for (const auto member : {&Case::kind, &Case::shape, &Case::program}) {
    const auto c = keep_back(cases, member);
    const auto share = [](std::size_t part, std::size_t of) {
      return of == 0 ? std::string("-")
                     : fmt::format("{:.0f} %", 100 * static_cast<double>(part) / static_cast<double>(of));
    };
    fmt::print(" {}, {} |", share(c.times_in, c.times), share(c.pairs_in, c.pairs));
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Measures how far engines are from flits; the numbers of netsim/deviation.cpp go to the standard error.");
  std::uint64_t seeds = 6;
  std::string shape;
  app.add_option("--seeds", seeds, "machines of each kind and shape")->check(CLI::PositiveNumber);
  app.add_option("--shape", shape, "of machines: 8^2, 6^2, 5^2 or 4^3 (default: all)");
  CLI11_PARSE(app, argc, argv);
  const auto all = measure(seeds, shape);
  for (const auto* cases : {&all.packets, &all.flows}) {
    const auto found = estimate(*cases);
    fmt::print(stderr, "programs {:.3f}\nplacements {:.3f}\n", fmt::join(found.programs, ", "),
               fmt::join(found.placements, ", "));
  }
  fmt::print(
      "| engine | runs | mean error | worst | nine of ten flit-level times, beside the engine's | in common | kind "
      "kept "
      "back: times, ratios in the interval | shape kept back | program kept back |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  print("packet", all.packets);
  print("fluid", all.flows);
}
