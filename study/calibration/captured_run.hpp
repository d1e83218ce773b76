#pragma once
// A captured run of a program beside the same run by the program's generator: what was measured, which work the
// generator has there, and how much computations differ from one iteration to the next.

#include "study/calibration/program_calibration.hpp"

namespace toroid::study {

/// What a rank computes at a place, from one round to the next, without what all ranks have in common there: where all
/// take longer, nobody waits for anybody.
struct NoiseAtPlace {
  double mean = 0, variance = 0;  ///< flops, and flops^2
  double samples = 0;             ///< degrees of freedom of the variance
};

/// Collects what ranks computed in the rounds of their programs.
class CapturedNoise {
 public:
  /// `flops[p]` of a round: what the rank computed at the place `p` of the round. Ranks whose rounds and places are as
  /// many are compared with each other.
  void add(const std::vector<std::vector<double>>& rounds);

  /// What the rounds say of each place. None unless two ranks have two rounds.
  std::vector<NoiseAtPlace> places() const;

 private:
  /// Sums over ranks at one place of one round: of the computation x and of the rank's mean m at that place.
  struct Sums {
    double xx = 0, xm = 0, mm = 0, m = 0;
  };
  struct Group {
    double ranks = 0;
    std::vector<std::vector<Sums>> rounds;  ///< the sums, by round and place
  };
  std::map<std::pair<std::size_t, std::size_t>, Group> groups_;  ///< the groups, by numbers of rounds and places
};

/// The variance of a computation of m flops: noise m + (jitter m)^2.
struct ScatterOverTime {
  double noise = 0;   ///< flops
  double jitter = 0;  ///< a share
};

/// Fits both, neither below 0, to the places of captured runs by gamma regression (P. McCullagh, J. A. Nelder,
/// Generalized Linear Models, 1989, chapter 8), as a variance is known to a share of itself. Each run weighs the same,
/// and in it each flop. Jitter is 0 where there are less than three places. None without places.
std::optional<ScatterOverTime> fit_scatter_over_time(std::span<const std::vector<NoiseAtPlace>> runs);

/// Places of a rank's program where a generator has the same work of each key.
struct Places {
  double count = 0, flops = 0;  ///< how many; what was measured in all of them
};

/// Keys of a generator and their values.
using Keys = std::vector<std::pair<std::string, std::string>>;

/// The generator of that name with the keys: `cg:class=W,ranks=8`.
std::string spec_text(const std::string& name, const Keys& keys);

class CapturedRun {
 public:
  /// `fitted` are the keys whose work is asked for; both must outlive the run. Throws InputError where the capture is
  /// not the run that its keys say, or has no computation of those keys.
  CapturedRun(const core::Spec& program, const Capture& capture, const std::vector<std::string>& fitted);

  const Capture& capture() const { return capture_; }
  const workloads::Trace& trace() const { return *trace_; }
  /// For each rank, the places of its computations by the work of each key there.
  const std::vector<std::map<std::vector<double>, Places>>& by_rank() const { return by_rank_; }
  /// How much computations differ from one iteration to the next; see CapturedNoise::places().
  std::vector<NoiseAtPlace> noise() const { return noise_.places(); }
  double mean() const { return mean_; }  ///< flops of a rank, without those of keys that are given

  /// The generator of this run with more keys.
  std::string spec(const Keys& more) const;

 private:
  Keys own_keys(const core::Spec& program) const;
  /// The generator without noise and jitter, so that its computations are the work of its keys.
  std::unique_ptr<workloads::Trace> generator(const Keys& more) const;
  void check_same(const workloads::Trace& generated) const;
  void collect(workloads::Rank rank, const workloads::Trace& given,
               const std::vector<std::unique_ptr<workloads::Trace>>& units);
  void refuse_without_computation() const;

  const Capture& capture_;
  std::unique_ptr<workloads::Trace> trace_;
  std::string name_;  ///< the name of the generator
  Keys own_;          ///< the keys of the program and of the capture, and its number of ranks
  const std::vector<std::string>& fitted_;
  std::vector<std::map<std::vector<double>, Places>> by_rank_;
  CapturedNoise noise_;
  double mean_ = 0;
};

}  // namespace toroid::study
