#pragma once
// Where the critical path lost time to other messages: on which links, along which dimensions, between which ranks.

#include "toroid/netsim/result.hpp"

namespace toroid::netsim {

/// Seconds of the run time that messages of the critical path lost between two ranks.
struct PairLoss {
  workloads::Rank from = 0, to = 0;
  double seconds = 0;
};
/// Seconds of the run time that messages of the critical path lost on a link.
struct LinkLoss {
  platforms::LinkId link = 0;
  double seconds = 0;
};

/// Seconds of the run time that messages of the critical path lost on one kind of links.
struct KindLoss {
  std::string links;  ///< the name of a dimension; `injection` or `ejection`; `cores` for what waited for those
  double seconds = 0;
};

struct CriticalLosses {
  double total = 0;  ///< seconds; the losses of links add up to that, so do those of pairs, and kinds but `cores`
  std::vector<KindLoss> kinds;             ///< the largest first; equal ones by name
  std::vector<LinkLoss> links;             ///< the largest first; equal ones by number
  std::vector<PairLoss> pairs;             ///< the largest first; equal ones by ranks
  std::vector<platforms::LinkId> of_step;  ///< by position in Result::critical_steps; none() of steps that lost nothing
};

/// Attributes what other messages added to each message of the critical path (CriticalStep::lost_on_the_way() of
/// Result::critical_steps) to one link: that of the message's route which was used most in the windows in which the
/// message travelled (Result::link_windows), or over the whole run where there are no windows. A message has one route
/// here, in dimension order, whatever the engine does; messages within a node lose nothing.
CriticalLosses critical_losses(const Machine& machine, const Mapping& mapping, const Result& result);

/// What each of several jobs lost on links, the largest loss first. Returns the job of each of the `links`.
std::vector<std::uint32_t> losses_by_job(const Result& result, const CriticalLosses& losses,
                                         std::vector<LinkLoss>& links);

}  // namespace toroid::netsim
