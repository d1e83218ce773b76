#include "cli/commands/simulate.hpp"

#include <cmath>

#include "cli/result_fields.hpp"
#include "core/progress.hpp"
#include "toroid/study/tasks/executor.hpp"

namespace toroid::cli {
namespace {

double deviation(double time, double reference) {
  return reference > 0 ? time / reference - 1 : 0;
}

const core::Object<Verification> verification_object{
    "verification",
    {{"engine", "text", "simgrid, or that of --verify=ENGINE", &Verification::engine},
     {"runtime_s", "seconds", "predicted run time by that engine", &Verification::runtime},
     {"deviation", "number", "the run's time over that time, minus 1", &Verification::deviation},
     {"rank_deviation_max", "number", "the largest of a rank's finish_s, without its sign",
      &Verification::rank_deviation_max}}};

}  // namespace

Json verification_json(const Verification& v) {
  return verification_object(v);
}

core::ObjectText verification_text() {
  return verification_object;
}

Verification verify(const netsim::Run& run, const netsim::Result& result, const netsim::EngineChoice& engine) {
  Verification v{.engine = engine.text()};
  auto again = study::plain(run);
  again.engine = engine;
  core::Progress bar("verifying", run.job().trace.operation_count());
  const auto reference = netsim::run(again, &bar);
  v.runtime = reference.runtime;
  v.deviation = deviation(result.runtime, reference.runtime);
  for (const auto r : reference.ranks.ids())
    v.rank_deviation_max =
        std::max(v.rank_deviation_max, std::abs(deviation(result.ranks[r].finish, reference.ranks[r].finish)));
  return v;
}

study::DrawnTimes run_on_drawn(const netsim::Run& run, const EventArguments& events, const study::Draws& draws,
                               std::size_t workers) {
  const auto base = study::plain(run);
  const auto run_on = [&](std::size_t d) {
    const platforms::Machine machine(draws.machines[d]);
    auto drawn = netsim::Run{machine, base.job().trace, base.job().mapping, base.job().options, base.engine};
    const auto told = events.events(machine, {});  // events name links of the drawn machine
    drawn.changes = told.changes;
    const auto result = netsim::run_in_process(drawn);
    const auto& path = result.critical_path;
    return Json{{"runtime_s", result.runtime},
                {"deviating_s", netsim::deviating_seconds(result.runtime - path.compute, path.sharing)}};
  };
  const auto done =
      study::run_all("drawing machines", draws.machines.size(), workers, run_on, study::OnFailedTask::stop);
  study::DrawnTimes times;
  for (std::size_t d = 0; d < done.size(); ++d) {
    const auto& [result, error] = done[d];
    if (result.is_null())
      throw core::SimulationError(
          fmt::format("on the machine of draw {}, {}: {}", d, core::json_text(study::values_json(draws, d)), error));
    times.emplace_back(study::DrawnTime{result["runtime_s"], result["deviating_s"]});
  }
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
