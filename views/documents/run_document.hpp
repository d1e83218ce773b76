#pragma once
// All that can be drawn of one run, as columns (docs/reference/run-columns.md): the machine, its links over time, the
// ranks over time, who sends to whom, the critical path and what was lost on it.

#include "toroid/netsim/run.hpp"
#include "views/documents/columns.hpp"

namespace toroid::views {

/// What a run is called, for people.
struct RunNames {
  std::string platform, trace, map, engine;
  bool computation_is_left_out = false;
};

/// Has a run keep what its columns need: windows of its links, which must be measured, activity and critical steps.
void record_for_columns(netsim::Run& run);

/// The columns of a run whose result has windows of links, activity and critical steps. Numbers over time are kept as
/// bytes, 0 to 255 for 0 to 1; what is exact is exact. Of pairs of ranks the `most_pairs` with the most bytes are kept,
/// of critical steps the `most_steps` longest; the meta data says how many there were. The same run gives the same
/// bytes.
Columns run_columns(const netsim::Machine& machine, const netsim::Mapping& mapping, const netsim::Result& result,
                    const workloads::CommunicationMatrix& matrix, const RunNames& names,
                    std::size_t most_pairs = 200'000, std::size_t most_steps = 50'000);

/// The columns of a run of several jobs: as of one run whose ranks are numbered on from job to job, and with what each
/// job is, takes and lost. `told` is what netsim::jobs_json() tells of the run, `matrices` are the messages of each
/// job.
Columns jobs_columns(const netsim::Run& run, const netsim::Result& result,
                     const std::vector<workloads::CommunicationMatrix>& matrices, const core::Json& told,
                     const RunNames& names, std::size_t most_pairs = 200'000, std::size_t most_steps = 50'000);

/// The page that draws a run: one file that needs no other and fetches nothing.
std::string run_page(const Columns& run);

}  // namespace toroid::views
