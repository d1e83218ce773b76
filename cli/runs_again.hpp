#pragma once
// The run that was asked for again: by another engine, and on machines that are drawn.

#include "cli/arguments.hpp"
#include "core/json.hpp"
#include "netsim/run.hpp"
#include "study/draws.hpp"

namespace toroid::cli {

/// A run done again by another engine, such as the reference: how far the times of the run are from those, as parts of
/// them. A run time alone may agree by chance, so ranks are compared, too.
struct Verification {
  std::string engine;
  double runtime = 0;
  double deviation = 0, rank_deviation_max = 0;
};
core::Json verification_json(const Verification& v);

/// Runs the request with that engine.
Verification verify(netsim::RunRequest request, const netsim::Result& result, const netsim::EngineChoice& engine);

/// What the same run takes on each machine that is drawn, with the mapping that it has and the events. Throws
/// SimulationError, which tells the machine, where one of them cannot run.
study::DrawnTimes run_on_drawn(netsim::RunRequest request, const EventArguments& events, const study::Draws& draws,
                               std::size_t workers);

/// The `runs` of study::uncertainty_json() with a column for each property.
core::Json draws_table(const core::Json& runs);

}  // namespace toroid::cli
