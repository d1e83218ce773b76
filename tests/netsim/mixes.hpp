#pragma once
// Random mixes of programs beside each other: for comparing what neighbours are charged with what they cost.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::test {

/// Some jobs of 8 or 16 ranks on a machine of 64 nodes, at random, in blocks of nodes or interleaved. In every other
/// mix short jobs are repeated until they last about as long as the longest.
class Mix {
 public:
  Mix(std::uint64_t seed, std::size_t jobs, const std::string& engine = "fluid")
      : random_(seed, "mixes"), machine_(platforms::make_machine(any(machines))) {
    std::vector<platforms::NodeId> nodes(machine_.nodes().begin(), machine_.nodes().end());
    place_ = random_.below(3);
    if (place_ == 0) random_.shuffle(nodes);
    for (std::size_t job = 0; job < jobs; ++job) {
      const auto& program = any(programs);
      traces_.push_back(workloads::open_trace(program));
      netsim::Mapping mapping;
      for (std::int32_t rank = 0; rank < traces_[job]->ranks(); ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        mapping.add(place_ == 2 ? nodes[jobs * at + job] : nodes[16 * job + at]);
      }
      jobs_.push_back({.name = program, .trace = *traces_[job], .mapping = std::move(mapping)});
    }
    netsim::Run request{machine_, jobs_, engine};
    for (std::size_t job = 0; job < jobs; ++job) alone_.push_back(netsim::run_alone(request, job));
    const double longest = *std::max_element(alone_.begin(), alone_.end());
    for (std::size_t job = 0; job < jobs; ++job)
      if (seed % 2 == 0)
        jobs_[job].rounds = static_cast<std::uint32_t>(std::clamp(std::round(longest / alone_[job]), 1.0, 10.0));
  }

  netsim::Run request(const std::string& engine = "fluid") const { return {machine_, jobs_, engine}; }
  const std::vector<double>& alone() const { return alone_; }

 private:
  inline static const std::vector<std::string> machines{"mesh:8x8",
                                                        "torus:8x8",
                                                        "mesh:4x4x4",
                                                        "torus:4x4x4",
                                                        "mesh:4x16",
                                                        "torus:8x8,y.bandwidth=500MBps",
                                                        "torus:4x4x4,injection=2GBps"};
  inline static const std::vector<std::string> programs{
      "cg:class=S,ranks=16,iterations=1",           "mg:class=S,ranks=8",
      "stencil:grid=4x4,steps=4,bytes=64KiB",       "stencil:grid=2x2x4,steps=6,flops=0.1Mf",
      "minighost:ranks=16,steps=2,points=16x16x16", "lulesh:ranks=8,steps=2,elements=10",
      "fft:points=64x64x64,grid=1x16,steps=1",      "fft:points=64x64x64,grid=4x4,steps=1",
      "ptrans:grid=4x4,order=1024,steps=2",         "namd:ranks=16,patches=3x3x2,atoms=20000,steps=2,flops=1kf"};

  const std::string& any(const std::vector<std::string>& texts) { return texts[random_.below(texts.size())]; }

  core::Random random_;
  platforms::Machine machine_;
  std::uint64_t place_ = 0;
  std::vector<std::unique_ptr<workloads::Trace>> traces_;
  std::vector<netsim::PlacedJob> jobs_;
  std::vector<double> alone_;
};

/// What jobs were charged beside what they cost.
class Comparison {
 public:
  /// Adds the charges of all jobs of a mix that was run together, times alone included.
  void add(const netsim::Result& result, const std::vector<std::vector<double>>& exact) {
    for (std::size_t victim = 0; victim < exact.size(); ++victim) {
      const auto& job = result.jobs[victim];
      const double time = *job.runtime() * static_cast<double>(job.rounds.size());
      double charged = 0;
      for (std::size_t other = 0; other < exact.size(); ++other) {
        if (other == victim) continue;
        const double part = job.charges[other];
        charged += part;
        charges_.push_back(part / time);
        values_.push_back(exact[victim][other] / time);
      }
      if (const double lost = *job.lost(); lost > 0.01 * time) ratios_.push_back(charged / lost);
    }
  }

  /// The correlation of charges and values, as shares of run times.
  double correlation() const {
    const auto mean = [](const std::vector<double>& v) {
      double sum = 0;
      for (const double x : v) sum += x;
      return sum / static_cast<double>(v.size());
    };
    const double a = mean(charges_), b = mean(values_);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < charges_.size(); ++i) {
      ab += (charges_[i] - a) * (values_[i] - b);
      aa += (charges_[i] - a) * (charges_[i] - a);
      bb += (values_[i] - b) * (values_[i] - b);
    }
    return ab / std::sqrt(aa * bb);
  }
  std::size_t pairs() const { return charges_.size(); }
  /// Jobs that lost 1 % of their time or more.
  std::size_t victims() const { return ratios_.size(); }
  /// A quantile, over these jobs, of what others are charged with for a job, divided by what the job lost.
  double quantile(double part) {
    std::sort(ratios_.begin(), ratios_.end());
    return ratios_.empty() ? 1 : ratios_[static_cast<std::size_t>(part * static_cast<double>(ratios_.size() - 1))];
  }

 private:
  std::vector<double> charges_, values_, ratios_;
};

}  // namespace toroid::test
