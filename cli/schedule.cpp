#include "cosim/schedule.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/jobs_argument.hpp"
#include "cli/machine_arguments.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/version.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/units.hpp"
#include "cosim/jobs_csv.hpp"
#include "platforms/load.hpp"

namespace toroid::cli {
namespace {

using core::Json;

struct ScheduleOptions {
  std::string platform, jobs, scheduler = "easy", alloc = "consecutive", estimates = "log", too_large = "fail", engine;
  std::string json, jobs_csv;
  std::uint64_t seed = 1;
  bool lenient = false, kill = false, dynamic = false;
  MachineArguments what_if;

  cosim::Options options() const {
    cosim::Options options;
    of_option("--estimates", [&] { return cosim::read_estimates(estimates, options), true; });
    options.kill = kill;
    options.dynamic = dynamic;
    options.too_large = too_large == "fail" ? cosim::Options::TooLarge::fail : cosim::Options::TooLarge::reject;
    return options;
  }
};

/// All that the result depends on: the same manifest gives the same bytes.
Json manifest(const ScheduleOptions& o, const workloads::Jobs& jobs) {
  auto files = jobs.files();
  files.push_back(platforms::platform_file(o.platform));
  return {{"toroid", version},
          {"command", "schedule"},
          {"platform", o.platform},
          {"jobs", o.jobs},
          {"inputs", inputs_json(files)},
          {"lenient", o.lenient},
          {"scheduler", o.scheduler},
          {"alloc", o.alloc},
          {"estimates", o.estimates},
          {"kill", o.kill},
          {"dynamic", o.dynamic},
          {"too_large", o.too_large},
          {"engine", o.engine.empty() ? "none" : o.engine},
          {"seed", o.seed}};
}

/// Jobs that have ended, of all.
class ProgressObserver final : public cosim::Observer {
 public:
  explicit ProgressObserver(std::uint64_t jobs) : bar_("scheduling", jobs) {}
  void ended(const cosim::Record&) override { bar_.update(++ended_); }

 private:
  core::Progress bar_;
  std::uint64_t ended_ = 0;
};

std::string summary(const ScheduleOptions& o, const Json& r) {
  const auto number = [&](const char* key) { return r[key].get<double>(); };
  const auto count = [&](const char* key) { return r[key].get<std::uint64_t>(); };
  std::string text = fmt::format("jobs           {} on {} nodes of {}, {} with {}\n", count("jobs"), count("nodes"),
                                 o.platform, o.scheduler, o.alloc);
  if (count("left_out") > 0) text += fmt::format("left out       {} of the log\n", count("left_out"));
  if (count("rejected") > 0) text += fmt::format("rejected       {} that can never fit\n", count("rejected"));
  if (count("killed") > 0) text += fmt::format("killed         {} at their estimate\n", count("killed"));
  text += fmt::format("makespan       {:.10g} s\n", number("makespan_s"));
  text += fmt::format("utilization    {:.2f} %, allocated {:.2f} %\n", 100 * number("utilization"),
                      100 * number("allocated"));
  text += fmt::format("wait           {:.6g} s on average, at most {:.6g} s\n", number("mean_wait_s"),
                      number("max_wait_s"));
  text += fmt::format("response       {:.6g} s on average, bounded slowdown {:.4g}\n", number("mean_response_s"),
                      number("mean_bounded_slowdown"));
  text += fmt::format("pairwise hops  {:.6g} summed in a job, {:.4g} a pair, on average\n",
                      number("avg_sum_pairwise_hops"), number("avg_mean_pairwise_hops"));
  text += fmt::format("shapes         {:.3f} components, a box of {:.1f} routers, {:.1f} links to others, on average\n",
                      number("avg_components"), number("avg_box_routers"), number("avg_surface_links"));
  return text;
}

/// The name that all jobs have together: that of the file, or of the stream.
std::string workload_name(const std::string& jobs) {
  const auto file = workloads::jobs_file(jobs);
  return file.empty() ? jobs : std::filesystem::path(file).filename().string();
}

void schedule(const ScheduleOptions& o) {
  const auto machine = platforms::make_machine(o.platform);
  const auto options = o.options();
  Json json;
  Outputs outputs;
  outputs.keep({workloads::jobs_file(o.jobs), platforms::platform_file(o.platform)});
  outputs.add(o.json, [&] { return core::json_text(json, 1) + "\n"; });
  std::optional<cosim::JobsCsv> jobs_csv;
  if (!o.jobs_csv.empty())
    jobs_csv.emplace(machine, workload_name(o.jobs),
                     [&file = outputs.stream(o.jobs_csv)](std::string_view line) { file.write(line); });
  const auto jobs = workloads::open_jobs(o.jobs, o.lenient ? workloads::Reading::lenient : workloads::Reading::strict);
  const auto result = [&] {
    ProgressObserver progress(jobs->counts().jobs);
    cosim::ScheduleRequest request{machine, *jobs, o.scheduler, o.alloc};
    request.engine = o.engine;
    request.seed = o.seed;
    request.options = options;
    request.observers = {&progress};
    if (jobs_csv) request.observers.push_back(&*jobs_csv);
    return cosim::run_schedule(request);
  }();
  json = {{"schema_version", core::schema_version}};
  json.update(cosim::totals_json(result.totals));
  for (const auto& figure : result.figures) json["allocator"][figure.name] = figure.value;
  json["left_out"] = jobs->counts().dropped();
  json["manifest"] = manifest(o, *jobs);
  outputs.write();
  if (!outputs.to_stdout()) fmt::print("{}", summary(o, json));
}

}  // namespace

void add_schedule(CLI::App& app) {
  auto* command = app.add_subcommand("schedule", "run a job log or a stream of jobs on a machine");
  auto o = std::make_shared<ScheduleOptions>();
  command->add_option("PLATFORM", o->platform, platform_help)->required();
  command->add_option("JOBS", o->jobs, jobs_help)->required();
  command
      ->add_option("--scheduler", o->scheduler,
                   "when jobs start: fcfs, easy, conservative, as-logged, with the order of "
                   "the queue: easy:order=shortest (toroid list schedulers)")
      ->capture_default_str();
  command->add_option("--alloc", o->alloc, "which nodes they get (toroid list allocators)")->capture_default_str();
  command
      ->add_option("--estimates", o->estimates,
                   "what the scheduler knows of run times: log (what was asked for, at least the run time; twice the "
                   "run time where nothing was), exact, or a factor of the run time such as x2")
      ->capture_default_str();
  command->add_flag("--kill", o->kill, "end jobs that run longer than their estimate");
  command->add_option("--too-large", o->too_large, "of jobs that can never fit: fail, or reject (and count them)")
      ->capture_default_str()
      ->check(CLI::IsMember({"fail", "reject"}));
  command->add_flag("--dynamic", o->dynamic,
                    "jobs whose demand changes hold as many nodes as they want at the time, not their most all along");
  command->add_option(
      "--engine", o->engine,
      "network on which the messages of a distributed allocator take time, such as fluid (default: none)");
  command->add_flag("--lenient", o->lenient, "leave out what is malformed in the log, and count it");
  command->add_option("--seed", o->seed, "seed of everything random")->capture_default_str()->transform(any_seed());
  add_output(*command, "--json", o->json, "write the result as JSON (- for standard output)");
  add_output(*command, "--jobs-csv", o->jobs_csv,
             "write a line per job as CSV: the columns of Batsim's jobs.csv, then ours");
  o->what_if.add_to(*command);
  command->callback([o] {
    o->platform = o->what_if.apply(o->platform);
    schedule(*o);
  });
}

}  // namespace toroid::cli
