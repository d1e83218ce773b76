#pragma once
// A run again with one thing changed: what could be changed of a machine, as a buyer or an owner would ask, and what a
// run is that is only to be timed.

#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"

namespace toroid::study {

struct PropertyChange {
  std::vector<std::pair<std::string, std::string>> properties;  ///< `x.bandwidth` and `x2`, as --set takes them

  /// What to give behind --set: `x.bandwidth=x2`.
  std::string text() const;
  /// The machine with the change. Throws InputError where that is no machine.
  platforms::Machine apply(const platforms::Machine& machine) const;
};

/// Twice the bandwidth of all links, of each dimension with links, and of the nodes' own links where these have a
/// limit; half of the latencies; wraps for the dimensions that have none. Only what the machine has can change.
std::vector<PropertyChange> usual_changes(const platforms::Machine& machine);

/// What tells how much the run time depends on each dimension: twice the bandwidth, then half of the latency, of each
/// dimension with links. A latency of 0 is left out.
std::vector<PropertyChange> changes_by_dimension(const platforms::Machine& machine);

/// Whether messages that go half round a ring of the machine have two ways that are equally long.
bool has_ties(const platforms::Machine& machine);

/// The machine with a change; null where there is no such machine, as with a wrap across a twist.
std::shared_ptr<const platforms::Machine> changed(const platforms::Machine& machine, const PropertyChange& change);

/// Whether a run is of one program alone: its job has no name, and no other job is told of.
bool is_one_program(const netsim::Run& request);

/// The run without all that is measured besides its times. A sample of iterations becomes the whole run.
netsim::Run plain(netsim::Run request);

/// What a change makes of another job of the run.
struct OtherJob {
  std::size_t job = 0;
  double saves = 0;  ///< share of the job's run time; below 0 where the job takes longer
};

/// An explained run with one thing changed.
struct Trial {
  /// The change as options take it: `--set x.bandwidth=x2`, `--map quick`; of several jobs also `map=quick for JOB`,
  /// `without JOB`.
  std::string change;
  static constexpr double margin = 0.01;  ///< the least share of the run time that is worth telling
  std::optional<double> runtime = {};     ///< seconds; none where there is no such machine, or the run failed
  /// In a run of several jobs, the others whose run times change by `margin` or more, the largest change
  /// first.
  std::vector<OtherJob> others = {};

  /// The share of the run time that the change saves; below 0 where the run takes longer.
  double saves(double before) const { return runtime && before > 0 ? 1 - *runtime / before : 0; }
};

/// Another mapping that may shorten the run.
struct OtherMapping {
  std::string name;  ///< the name of its mapper
  netsim::Mapping mapping;
};

/// The mappings that are tried besides that of a mapper: of a program that `make` maps by the mapper it is given.
std::vector<OtherMapping> other_mappings(const mapping::MapperChoice& map,
                                         const std::function<netsim::Mapping(const mapping::MapperChoice&)>& make);

/// Does a run again in so many worker processes, on whose number the trials do not depend: with each of
/// changes_by_dimension() and usual_changes(), once where several make the same machine, and with one job placed by each
/// of its other mappings, which stand by job. Several jobs also run without each of them in turn. Gives the trials of
/// each job.
std::vector<std::vector<Trial>> trials_of(const netsim::Run& request, const netsim::Result& result,
                                          const std::vector<std::vector<OtherMapping>>& others, std::size_t workers);

}  // namespace toroid::study
