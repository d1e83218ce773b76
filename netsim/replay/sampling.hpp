#pragma once
// Iterations that do not repeat are sampled. The streams of all ranks leave out the iterations that the plan says, each
// when its rank comes to them: what is simulated is the same program with fewer iterations, so nothing that is under
// way has to be moved. At the end the report grows by what was left out.

#include "netsim/repeats/sampling_plan.hpp"
#include "netsim/replay/ranks.hpp"
#include "workloads/iterations.hpp"

namespace toroid::netsim {

class Replay::Ranks::Sampling {
 public:
  /// Finds the iterations of the program, which may go through all of it.
  explicit Sampling(Ranks& ranks);

  /// The stream of a rank without the iterations that are left out.
  std::unique_ptr<workloads::OperationStream> watch(Rank rank, std::unique_ptr<workloads::OperationStream> stream);
  /// When all ranks have finished: lets the report tell what was left out, as far as it is known.
  void extrapolate();

 private:
  class Stream;
  /// A boundary between iterations that are simulated, at which some may be left out.
  struct Boundary {
    std::uint64_t iteration = 0, left_out = 0;  ///< the first one behind it, if none were left out, and how many are
    std::size_t arrived = 0;                    ///< number of ranks that have arrived
    std::size_t alike = 0;                      ///< ranks that do the same in all iterations but the last, for certain
  };
  /// A rank at the beginning of the iterations, or what it did in those that were simulated.
  struct RankCounts {
    RankReport report;
    SentMessages sent;
  };
  /// Counts of all ranks together: when the first rank begins its iterations, and when the last one has ended them.
  struct Counts {
    core::IdVector<platforms::LinkId, double> busy;
    std::vector<Blocked> blocked;
    std::map<CollectiveCalls::How, std::uint64_t> calls;
  };

  std::uint64_t arrive(Rank rank, std::uint64_t iteration, std::uint64_t alike);
  void all_have_arrived(const Boundary& boundary, const History& history);
  void passed_over();
  void launched(const Messages::Launch& launch);
  Counts counts_now() const;
  double simulated() const { return static_cast<double>(iterations_.count - plan_.left_out()); }
  std::uint64_t grown(std::uint64_t simulated) const;
  double grown(double simulated) const;
  void grow_rank(Rank rank, double seconds);
  void grow_links();
  void grow_counts();
  void report_gaps();

  Ranks& ranks_;
  workloads::CommonIterations iterations_;
  SamplingPlan plan_;
  bool is_over_ = false;  ///< whether nothing is to be left out any more
  std::vector<Boundary> boundaries_;
  std::size_t completed_ = 0;                             ///< boundaries at which all ranks have arrived
  core::IdVector<Rank, std::size_t> passed_;              ///< number of boundaries that each rank has passed
  core::IdVector<Rank, SentMessages> sent_;               ///< messages that each rank has sent so far
  core::IdVector<Rank, RankCounts> of_ranks_;             ///< counts at the beginning; in the end, what came in between
  core::IdVector<Rank, double> computed_, not_computed_;  ///< seconds of computations that came, and were left out
  /// What ranks sent over links before and after their iterations, by the routes of an idle machine.
  core::IdVector<platforms::LinkId, CarriedByLink> around_;
  Counts at_begin_, at_end_;
  Time last_;  ///< the time at which all ranks had arrived at the last boundary
  History last_history_;
};

}  // namespace toroid::netsim
