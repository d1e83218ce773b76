#pragma once
// Programs, drawn by lot, whose iterations take another time each time, as ranks compute more or less, or as messages
// meet on the network: what a sample of iterations has to face.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::test {

/// How the computation of a rank changes from iteration to iteration, besides a part by lot each time: not at all; some
/// ranks have more than others; all of it grows, or swings, over the program. Or the computation depends on that of the
/// last iteration; or the rank is slower for some time, now and then. Or nothing is computed, so that iterations differ
/// by what the network does alone.
enum class Noise : std::uint8_t { independent, imbalance, drift, correlated, phases, network };
inline constexpr std::size_t noises_of_programs = 5;

struct NoiseOptions {
  Noise kind = Noise::independent;
  double strength = 0.1;     ///< standard deviation of the part by lot, as a share of what is computed
  double extent = 0.3;       ///< how much more at most: of the imbalance, the drift, the phases
  double correlation = 0.9;  ///< correlation of one iteration to the next
  double swings = 0;         ///< swings of the drift; 0: it grows
  std::uint64_t seed = 1;
};

/// A program of a generator with noise. Its trace knows of its iterations; no stream repeats.
class NoisyTrace final : public workloads::ForwardedTrace {
 public:
  NoisyTrace(std::shared_ptr<const workloads::Trace> trace, const NoiseOptions& options)
      : ForwardedTrace(std::move(trace)), options_(options) {}

  std::unique_ptr<workloads::OperationStream> open(workloads::Rank rank) const override {
    return std::make_unique<Stream>(ForwardedTrace::open(rank), options_, rank, rounds(rank));
  }

 private:
  class Stream final : public workloads::OperationStream {
   public:
    Stream(std::unique_ptr<workloads::OperationStream> stream, const NoiseOptions& options, workloads::Rank rank,
           const workloads::Rounds& rounds)
        : stream_(std::move(stream)),
          options_(options),
          rounds_(rounds),
          random_(options.seed, fmt::format("noise of rank {}", rank.value())),
          own_(random_.unit()) {
      begin_iteration(0);
    }

    bool next(workloads::Operation& operation) override {
      if (!stream_->next(operation)) return false;
      if (rounds_.length > 0 && count_ >= rounds_.first && (count_ - rounds_.first) % rounds_.length == 0)
        begin_iteration((count_ - rounds_.first) / rounds_.length);
      ++count_;
      if (operation.kind == workloads::OpKind::compute)
        operation.amount *= std::max(0.05, level_ + options_.strength * normal());
      return true;
    }

   private:
    /// Mean 0, deviation 1: a sum of twelve uniform numbers is nearly normal.
    double normal() {
      double sum = -6;
      for (int i = 0; i < 12; ++i) sum += random_.unit();
      return sum;
    }

    void begin_iteration(std::uint64_t iteration) {
      const double part =
          static_cast<double>(iteration) / static_cast<double>(std::max<std::uint64_t>(rounds_.count, 1));
      switch (options_.kind) {
        case Noise::independent:
        case Noise::network:
          break;
        case Noise::imbalance:
          level_ = 1 + options_.extent * own_;
          break;
        case Noise::drift:
          level_ = options_.swings == 0
                       ? 1 + options_.extent * part
                       : 1 + options_.extent * std::sin(2 * std::numbers::pi * (options_.swings * part + own_));
          break;
        case Noise::correlated: {
          const double rho = options_.correlation;
          walk_ = rho * walk_ + std::sqrt(1 - rho * rho) * options_.extent / 2 * normal();
          level_ = 1 + walk_;
          break;
        }
        case Noise::phases:
          if (random_.unit() < (is_slow_ ? 0.05 : 0.02)) is_slow_ = !is_slow_;
          level_ = is_slow_ ? 1 + options_.extent : 1;
          break;
      }
    }

    std::unique_ptr<workloads::OperationStream> stream_;
    NoiseOptions options_;
    workloads::Rounds rounds_;
    core::Random random_;
    double own_;
    double level_ = 1, walk_ = 0;
    bool is_slow_ = false;
    std::uint64_t count_ = 0;
  };

  NoiseOptions options_;
};

/// A noisy program on a machine, its ranks on nodes by lot.
struct NoisyCase {
  std::string program, machine, engine;
  NoiseOptions noise;
  std::uint64_t iterations = 0;  ///< length of programs that can have any number of them
};

/// Any of a kind, of so many iterations at most (100 or more); `small`: of few ranks.
inline NoisyCase any_noisy_case(core::Random& random, std::uint64_t most, bool small = false) {
  const auto one_of = [&](const auto& all) { return all[random.below(all.size())]; };
  const auto between = [&](double low, double high) { return low * std::pow(high / low, random.unit()); };
  NoisyCase c;
  c.iterations =
      static_cast<std::uint64_t>(between(std::min(200.0, static_cast<double>(most) / 2), static_cast<double>(most)));
  const std::vector<std::string> large_programs{"stencil:grid=4x4x4,flops=100kf,steps={}",
                                                "stencil:grid=8x8,flops=50kf,bytes=32KiB,periodic=yes,steps={}",
                                                "stencil:grid=4x4x2,flops=200kf,bytes=200KB,steps={}",
                                                "lulesh:ranks=27,elements=10,steps={}",
                                                "minighost:ranks=32,points=16x16x16,steps={}",
                                                "minighost:ranks=64,points=10x10x10,sums=0,steps={}",
                                                "lu:class=W,ranks=16",
                                                "sp:class=W,ranks=16",
                                                "bt:class=W,ranks=16",
                                                "broadcasts:ranks=24,flops=100kf,bytes=4KiB,rounds={}"};
  const std::vector<std::string> small_programs{
      "stencil:grid=3x3,flops=100kf,steps={}", "lulesh:ranks=8,elements=8,steps={}",
      "minighost:ranks=8,points=10x10x10,steps={}", "broadcasts:ranks=8,flops=100kf,bytes=4KiB,rounds={}"};
  c.program = fmt::format(fmt::runtime(one_of(small ? small_programs : large_programs)), c.iterations);
  const std::vector<std::string> large_machines{"torus:8x8", "mesh:8x8", "torus:4x4x4", "mesh:5x4x4", "torus:16x4"};
  const std::vector<std::string> small_machines{"torus:4x4", "mesh:3x3", "torus:3x3x2"};
  c.machine =
      fmt::format("{},bw={:.0f}MBps,lat={:.0f}ns,speed={:.1f}Gf", one_of(small ? small_machines : large_machines),
                  between(200, 8000), between(50, 2000), between(0.5, 20));
  c.engine = random.below(4) == 0 ? "packet:packet=2KiB" : "fluid";
  c.noise = {.kind = static_cast<Noise>(random.below(noises_of_programs)),
             .strength = between(0.01, 0.3),
             .extent = between(0.05, 0.6),
             .correlation = 1 - between(0.02, 0.5),
             .swings = random.below(2) == 0 ? 0 : between(0.5, 6),
             .seed = random.below(1'000'000'000)};
  return c;
}

/// Any of these programs and machines without computation. Many such come back to a state that was there before.
inline NoisyCase any_case_of_network(core::Random& random, std::uint64_t most, bool small = false) {
  auto c = any_noisy_case(random, most, small);
  c.noise.kind = Noise::network;
  return c;
}

/// The case as a run. Keeps what the run needs.
class NoisyRun {
 public:
  explicit NoisyRun(const NoisyCase& c)
      : machine_(platforms::make_machine(c.machine)),
        program_(workloads::open_trace(c.program)),
        noisy_(program_, c.noise),
        computes_(c.noise.kind != Noise::network),
        engine_(c.engine) {
    std::vector<platforms::NodeId> nodes(machine_.nodes().begin(), machine_.nodes().end());
    core::Random(c.noise.seed, "mapping").shuffle(nodes);
    nodes.resize(static_cast<std::size_t>(program_->ranks()));
    mapping_ = netsim::Mapping(nodes);
  }

  netsim::Result run(netsim::Repeats repeats, double width = 0.01) const {
    const workloads::Trace& trace = computes_ ? noisy_ : *program_;
    const double scale = computes_ ? 1 : 0;
    return netsim::run(
        {machine_, trace, mapping_, {.compute_scale = scale, .repeats = repeats, .sampling_width = width}, engine_});
  }

 private:
  platforms::Machine machine_;
  std::shared_ptr<const workloads::Trace> program_;
  NoisyTrace noisy_;
  bool computes_;
  netsim::EngineChoice engine_;
  netsim::Mapping mapping_;
};

}  // namespace toroid::test
