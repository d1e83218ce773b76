#pragma once
// Why a run takes the time that it takes: what the time is made of, on which links it is lost, what was in the way, and
// what would shorten it.

#include "netsim/results/critical_losses.hpp"
#include "study/advice/trials.hpp"
#include "toroid/core/fields.hpp"

namespace toroid::study {

/// A part of the run time.
struct Cause {
  /// `compute`, `latency`, `bandwidth`, `sharing within the job`, `sharing with other jobs`; where the engine does not
  /// tell jobs apart, `sharing with any job` in the place of the last two.
  std::string name;
  double seconds = 0;
};

/// Messages of a rank to another one that were in the way of messages of the critical path.
struct InTheWay {
  workloads::Rank from = 0, to = 0;
  double bytes = 0;       ///< the bytes that travelled meanwhile (netsim::Obstacle::bytes_meanwhile)
  std::uint32_t job = 0;  ///< whose message it is, as netsim::Obstacle::job
};

/// A link on which the critical path lost time.
struct LinkCause {
  platforms::LinkId link = 0;
  double lost = 0;                        ///< seconds of the run time
  double mean_utilization = 0;            ///< the link's mean utilization in the whole run
  std::size_t messages = 0;               ///< how many messages of the critical path lost time there
  std::vector<InTheWay> in_the_way = {};  ///< the up to four pairs of ranks with the most bytes in the way of these
};

/// A part of the critical path: one of its longest steps, or all steps between two of them.
struct ChainPart {
  std::size_t first = 0, steps = 0;  ///< positions in netsim::ReplayReport::critical_steps
  std::size_t messages = 0;          ///< how many of the steps are messages; the others are computations
  double begin = 0, end = 0;         ///< seconds since the start of the run
  double lost = 0;                   ///< seconds that other messages added
  platforms::LinkId link = platforms::LinkId::none();  ///< where most of that was lost; none() if nothing was
  std::vector<InTheWay> in_the_way = {};  ///< the pairs of ranks in the way (LinkCause::in_the_way), whatever the link
};

struct Explanation {
  double runtime = 0;             ///< seconds
  std::string main_cause;         ///< a sentence: the largest of the causes, and what that means
  std::vector<Cause> causes;      ///< parts of the critical path; they add up to the run time
  std::vector<Cause> ranks;       ///< means_of_ranks()
  netsim::CriticalLosses losses;  ///< what the critical path lost
  std::vector<LinkCause> links;   ///< those of `losses`, the largest first, `most_links` at most
  std::vector<ChainPart> chain;   ///< the critical path in the order of time; `longest_steps` stand alone
  std::vector<Trial> trials;      ///< the trials by dimension, then the others; all with the engine of the run
  std::string no_trials;          ///< why there are none; empty: there are
  std::vector<std::string> what_to_change;  ///< up to three lines

  static constexpr std::size_t most_links = 10, longest_steps = 5;
  static constexpr double margin = Trial::margin;
};

/// What ranks spend the run time with on average: computing, waiting for messages on their way, and waiting for a
/// partner, in this order. A rank that has finished waits for the last one. The seconds add up to the run time.
std::vector<Cause> means_of_ranks(const netsim::Result& result);

/// Has a run keep what explanations of its jobs need: its links over time, which must be measured, and what caused
/// what.
void record_for_explanation(netsim::Run& request);

/// Explains each job of a run that was made with record_for_explanation(): the last round that it has done; nothing for
/// a job that has done none. All jobs run again together as trials_of() says, in so many worker processes, on whose
/// number the explanation does not depend. The other mappings stand by job; an empty list: no job has any. Where the
/// machine changes during the run (Run::changes) nothing is run again.
std::vector<std::optional<Explanation>> explain(const netsim::Run& request, const netsim::Result& result,
                                                const std::vector<std::vector<OtherMapping>>& others,
                                                std::size_t workers);

/// The explanation as JSON (docs/reference/results.md). `jobs` are the names of all jobs of the run; none in a run of a
/// single one.
core::Json explanation_json(const Explanation& explanation, const netsim::Machine& machine,
                            const netsim::Result& result, const std::vector<std::string>& jobs = {});
/// The objects of that document, `explanation` first.
std::vector<core::ObjectText> explanation_objects();

}  // namespace toroid::study
