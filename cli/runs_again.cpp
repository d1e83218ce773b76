#include "cli/runs_again.hpp"

#include <algorithm>
#include <cmath>

#include "cli/result_fields.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "study/tasks.hpp"

namespace toroid::cli {
namespace {

using core::Json;

double deviation(double time, double reference) {
  return reference > 0 ? time / reference - 1 : 0;
}

/// Leaves out all that a run measures besides its times.
void make_plain(netsim::RunRequest& request) {
  request.profile = false;
  request.windows = 0;
  request.options.log_causes = false;
  request.options.activity_windows = 0;
  request.options.keep_timeline = false;
  if (request.options.repeats == netsim::Repeats::sample) request.options.repeats = netsim::Repeats::exact;
  request.keep_windows = false;
}

}  // namespace

namespace {

const core::Object<Verification> verification_object{
    "verification",
    {{"engine", "text", "simgrid, or that of --verify=ENGINE", &Verification::engine},
     {"runtime_s", "seconds", "predicted run time by that engine", &Verification::runtime},
     {"deviation", "number", "the run's time over that time, minus 1", &Verification::deviation},
     {"rank_deviation_max", "number", "the largest deviation of a rank's finish_s, without its sign",
      &Verification::rank_deviation_max}}};

}  // namespace

Json verification_json(const Verification& v) {
  return verification_object(v);
}

core::ObjectText verification_text() {
  return verification_object;
}

Verification verify(netsim::RunRequest request, const netsim::Result& result, const netsim::EngineChoice& engine) {
  Verification v{.engine = engine.text()};
  request.engine = engine;
  make_plain(request);
  core::Progress bar("verifying", request.trace.operation_count());
  const auto reference = netsim::run(request, &bar);
  v.runtime = reference.runtime;
  v.deviation = deviation(result.runtime, reference.runtime);
  for (const auto r : reference.ranks.ids())
    v.rank_deviation_max =
        std::max(v.rank_deviation_max, std::abs(deviation(result.ranks[r].finish, reference.ranks[r].finish)));
  return v;
}

study::DrawnTimes run_on_drawn(netsim::RunRequest request, const EventArguments& events, const study::Draws& draws,
                               std::size_t workers) {
  make_plain(request);
  study::DrawnTimes times(draws.machines.size());
  study::run_all(
      "drawing machines", times.size(), workers,
      [&](std::size_t d) {
        const platforms::Machine machine(draws.machines[d]);
        auto drawn = netsim::RunRequest{machine, request.trace, request.mapping, request.options, request.engine};
        const auto on_drawn = events.events(machine, {});  // what changes is that machine, not the one in the middle
        drawn.changes = on_drawn.changes;
        const auto result = netsim::run_in_process(drawn);
        const auto& path = result.critical_path;
        return Json{{"runtime_s", result.runtime},
                    {"deviating_s", netsim::deviating_seconds(result.runtime - path.compute, path.sharing)}};
      },
      [&](std::size_t d, const Json& result, const std::string& error) {
        if (result.is_null())
          throw core::SimulationError(fmt::format("on the machine of draw {}, {}: {}", d,
                                                  core::json_text(study::values_json(draws, d)), error));
        times[d] = {result["runtime_s"], result["deviating_s"]};
      });
  return times;
}

Json draws_table(const Json& runs) {
  Json rows = Json::array();
  for (auto row : runs) {
    const Json values = row["values"];
    row.erase("values");
    row.update(values);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace toroid::cli
