#pragma once
// Which iterations of a program are simulated where no state returns, and what they tell of those that are left out.
//
// Iterations are simulated in clusters that are spread over the whole program, and those between two clusters are
// estimated by the mean of both: what drifts slowly is followed (systematic sampling; W. Cochran, Sampling Techniques,
// 1977, chapter 8; for simulators R. Wunderlich, T. Wenisch, B. Falsafi, J. Hoe, SMARTS, ISCA 2003). Iterations within
// a cluster depend on each other, as batches do (batch means; R. Conway, Management Science 10, 1963), so the means of
// clusters are the sample.

#include "core/random.hpp"
#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::netsim {

class SamplingPlan {
 public:
  static constexpr double confidence = 0.95;
  static constexpr std::uint64_t least_iterations = 40;  ///< a program with fewer iterations is not sampled

  /// A plan for a program of so many iterations, whose total time is to be known to a share `width` either way.
  SamplingPlan(std::uint64_t iterations, double width);

  /// The first rank is about to begin an iteration (from 0 on): how many are left out, that one included. To be asked
  /// for iterations in their order, and not for what was left out.
  std::uint64_t leave_out(std::uint64_t iteration);
  /// An iteration has taken so long, as the history of the last rank to begin it and the next one shows. To be told in
  /// order, of all that are simulated.
  void completed(std::uint64_t iteration, const History& history, double seconds);
  /// All ranks do the same in all iterations but the last, to the last amount: what differs comes from the network
  /// alone, so nothing rare in the program can be missed, and fewer clusters will do. To be told before the warm-up is
  /// over; later on nothing changes.
  void all_are_alike();
  /// From now on all is simulated.
  void stop() { stopped_ = true; }

  /// Iterations that are left out.
  struct Gap {
    std::uint64_t first = 0, count = 0;
  };
  const std::vector<Gap>& gaps() const { return gaps_; }
  std::uint64_t left_out() const;
  /// How many iterations there were before two windows agreed; nothing as long as they do not.
  std::optional<std::uint64_t> warm_up() const { return warm_up_; }
  std::size_t clusters() const { return clusters_.size(); }
  /// Why nothing was left out, in words.
  std::string why_whole() const;

  /// What all that is left out would take.
  struct Estimate {
    double seconds = 0;
    double half_width = 0;  ///< half the width of the interval of confidence
    History history = {};
  };
  /// When all iterations are over.
  Estimate estimate() const;

 private:
  /// Iterations that are simulated one after another, and measured.
  struct Cluster {
    std::uint64_t first = 0, end = 0, completed = 0;
    double seconds = 0;  ///< seconds that the completed ones took
    History history = {};
    bool is_complete() const { return completed == end - first; }
    double mean() const { return seconds / static_cast<double>(completed); }
  };
  struct Completed {
    std::uint64_t iteration;
    double seconds;
    History history;
  };

  bool has_warmed_up(std::uint64_t iteration);
  std::uint64_t next_gap(std::uint64_t from);
  /// The standard deviation of the means of clusters, as far as they tell.
  double deviation() const;
  double deviation_of_pilot() const;

  std::uint64_t iterations_;
  double width_;
  std::uint64_t tail_;  ///< the iteration from which on all is simulated
  std::size_t least_clusters_;
  std::uint64_t window_;
  bool stopped_ = false;
  std::vector<Completed> warming_;  ///< before the warm-up was over
  std::optional<std::uint64_t> warm_up_;
  std::vector<Cluster> clusters_;
  std::vector<std::uint64_t> before_;  ///< by cluster: how many are left out between the one before and it
  std::vector<Gap> gaps_;
  core::Random random_{1, "sampled iterations"};
};

}  // namespace toroid::netsim
