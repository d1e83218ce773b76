#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/manifest.hpp"
#include "cli/option.hpp"
#include "cli/simulate.hpp"
#include "core/context.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "netsim/result_json.hpp"
#include "study/tasks/executor.hpp"

namespace toroid::cli {

using core::Json;

std::size_t SimulateOptions::worker_count() const {
  return workers == 0 ? study::default_workers(1) : workers;
}

std::vector<std::pair<const core::Entry<views::RunFormat>*, std::string>> wanted_formats(const SimulateOptions& o) {
  std::vector<std::pair<const core::Entry<views::RunFormat>*, std::string>> wanted;
  const auto& formats = views::run_formats().entries();
  for (std::size_t i = 0; i < formats.size(); ++i)
    if (!o.run_files[i].empty()) wanted.emplace_back(&formats[i], o.run_files[i]);
  return wanted;
}

void check_shown(const SimulateOptions& o) {
  const auto check_windows = [&](std::string_view option, bool shows) {
    if (shows && o.windows == 0)
      core::fail_input("--{} shows the use of links over time; expected --windows of 1 or more", option);
  };
  check_windows("html", !o.html.empty());
  check_windows("columns", !o.columns.empty());
  check_windows("explain", o.explain);
  const bool tells_instants =
      o.draws_page() || o.explain || !o.critical_path_csv.empty() || !o.events.at.empty() || !wanted_formats(o).empty();
  if (tells_instants)
    o.replay.refuse_sample(
        "as --html, --columns, --explain, --critical-path-csv, --at and timelines tell what happens when");
  for (const auto& [format, path] : wanted_formats(o)) {
    if (!format->make.missing.empty())
      core::fail_input("{}: cannot be written: this toroid was built without {}", path, format->make.missing);
    check_windows(format->name, format->make.draws_links);
  }
}

std::optional<views::Slice> plane_of(const SimulateOptions& o, const platforms::Machine& machine) {
  if (o.plane.empty()) return std::nullopt;
  return core::in_context("--plane", [&] { return views::parse_slice(machine, o.plane); });
}

bool writes_tables(const SimulateOptions& o) {
  return !o.json.empty() && !o.no_tables;
}

namespace {

/// Everything that the result depends on: the options and the files that were read. The same manifest gives the same
/// bytes. The engine's settings come with the result.
Json manifest(const SimulateOptions& o, Kept& kept) {
  constexpr std::size_t others = 30;  // below
  auto manifest = core::object(
      {{"toroid", version}, {"command", "simulate"}, {"arguments", o.arguments}, {"platform", o.platform}}, others);
  if (o.jobs.empty())
    manifest["trace"] = o.trace;
  else
    manifest["jobs"] = o.jobs;
  manifest["inputs"] = inputs_json();
  o.placement.record(manifest);
  if (!o.jobs.empty()) manifest.erase("nodes");  // each has its own
  manifest["map"] = o.map.text();
  manifest["matrix"] = o.matrix;
  manifest["seed"] = o.seed;
  o.replay.record(manifest);
  o.events.record(manifest);
  if (!o.jobs.empty() || o.placement.has_neighbours()) manifest["others"] = o.others;
  if (o.draws > 0) manifest["uncertainty"] = o.draws;
  manifest["windows"] = o.windows;
  manifest["engine"] = o.engine.text();
  manifest["provenance"] = *kept.provenance(o.platform);
  return manifest;
}

/// The file of --json.
std::string json_file(const SimulateOptions& o, const Json& result) {
  if (!o.no_tables) return core::json_text(result, 1) + "\n";
  auto rest = result;
  for (const auto* table : {"links", "ranks"}) {
    rest.erase(table);
    if (rest.contains("jobs"))
      for (auto& job : rest["jobs"]) job.erase(table);
  }
  return core::json_text(rest, 1) + "\n";
}

}  // namespace

Shown::Shown(const SimulateOptions& o) {
  outputs.add(o.json, [this, &o] { return json_file(o, json); });
  outputs.add(o.html, [this] { return views::run_page(*columns); });
  outputs.add(o.columns, [this] { return columns->document(); });
  outputs.add_svg(o.svg, [this] { return picture; });
  outputs.add(o.pdf, [this] { return pdf_of(picture); });
}

void Shown::draw(const platforms::Machine& machine, const std::optional<views::Slice>& plane,
                 const std::vector<netsim::LinkResult>& links, const std::vector<views::DrawnRanks>& ranks,
                 const views::RunNames& names, const std::string& when) {
  picture = views::used_machine_svg(machine, plane ? *plane : views::busiest_slice(machine, links), links, ranks,
                                    fmt::format("{} on {}", names.trace, names.platform),
                                    fmt::format("{}, map {}, engine {}", when, names.map, names.engine));
}

Json run_manifest(const SimulateOptions& o, Kept& kept, Json compute_used,
                  const std::vector<std::pair<std::string, std::string>>& engine_settings) {
  auto all = manifest(o, kept);
  all["compute_used"] = std::move(compute_used);
  all["engine_settings"] = netsim::settings_json(engine_settings);
  return all;
}

// --- what happens in the middle of a run ---

namespace {

struct Event {
  double time;
  std::string what, which;  ///< `set`, `x.bandwidth=x0.5`
  const std::string* text;
};

Event parse(const std::string& text) {
  auto event = core::read_event(text, {"fail-link", "set", "kill"}, "TIME:EVENT, such as 2ms:fail-link n5-n6");
  return {core::parse_duration(event.time, "time"), std::move(event.what), std::move(event.which), &text};
}

/// `set x.bandwidth=x0.5`
std::string in_words(const Event& event) {
  return event.what + " " + event.which;
}

/// The property and its value. What others than these would change, nodes and links that are there, jobs rely on.
std::pair<std::string, std::string> change_of(const Event& event) {
  if (event.what == "fail-link") return {"fail-link", event.which};
  const auto equals = event.which.find('=');
  if (equals == std::string::npos) core::fail_input("found '{}', expected property=value", core::excerpt(event.which));
  const std::string name(core::trim(std::string_view(event.which).substr(0, equals)));
  const auto property = platforms::canonical_property(name);
  std::vector<std::string> changeable;
  for (const auto& help : platforms::property_help())
    if (help.may_change) changeable.emplace_back(help.name);
  const auto of_machine = property.substr(property.find('.') + 1);
  if (std::find(changeable.begin(), changeable.end(), of_machine) == changeable.end())
    core::fail_input("'{}' cannot change while jobs run{}", core::excerpt(name),
                     core::valid_instead(of_machine, changeable));
  return {name, std::string(core::trim(std::string_view(event.which).substr(equals + 1)))};
}

void check_alike(const platforms::Machine& before, const platforms::Machine& after) {
  if (before.limits_injection() != after.limits_injection() || before.limits_ejection() != after.limits_ejection())
    core::fail_input("a limit of injection or ejection cannot come or go while jobs run");
}

}  // namespace

void EventArguments::add_to(CLI::App& command) {
  add_repeated(command, "--at", at,
               fmt::format("something that happens in the middle of the run: TIME:fail-link LINK, TIME:set "
                           "PROPERTY=VALUE (as --fail-link and --set have them; engine {}), TIME:kill JOB (may be "
                           "repeated)",
                           core::either(netsim::engines_that_change())));
  add_word(command, "--on-failure", on_failure, {"reroute", "fail"},
           "messages on a link that fails: reroute (what has not arrived starts again), or fail (their job fails)");
}

Events EventArguments::events(const platforms::Machine& machine, const std::vector<std::string>& jobs) const {
  std::vector<Event> all;
  for (const auto& text : at) all.push_back(cosim::of_event(text, [&] { return parse(text); }));
  std::stable_sort(all.begin(), all.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  Events events;
  events.changes.on_link_failure = on_failure == "fail" ? netsim::OnLinkFailure::fail : netsim::OnLinkFailure::reroute;
  for (const auto& event : all)
    cosim::of_event(*event.text, [&] {
      if (event.what == "kill") {
        if (jobs.empty()) core::fail_input("found a single TRACE, expected jobs to kill one of: --job TRACE");
        const auto job = std::find(jobs.begin(), jobs.end(), event.which);
        if (job == jobs.end())
          core::fail_input("unknown job '{}'{}", core::excerpt(event.which), core::valid_instead(event.which, jobs));
        events.kills.push_back({event.time, static_cast<std::size_t>(job - jobs.begin())});
        return;
      }
      const auto& before = events.machines.empty() ? machine : *events.machines.back();
      auto changed = before.description();
      const auto [property, value] = change_of(event);
      platforms::set_property(changed, property, value);
      events.machines.push_back(std::make_unique<platforms::Machine>(std::move(changed)));
      check_alike(before, *events.machines.back());
      events.changes.changes.push_back({event.time, events.machines.back().get()});
    });
  return events;
}

void EventArguments::record(core::Json& manifest) const {
  if (at.empty()) return;
  manifest["at"] = at;
  manifest["on_failure"] = on_failure;
}

std::vector<cosim::TimedEvent> EventArguments::told(double end) const {
  std::vector<cosim::TimedEvent> events;
  for (const auto& text : at) {
    const auto event = parse(text);
    events.push_back({in_words(event), event.time, {}, event.time <= end});
  }
  return events;
}

std::string EventArguments::too_late(double end) const {
  std::string lines;
  for (const auto& event : told(end))
    if (!event.in_time)
      lines += fmt::format("\ntoo late       {} at {}: all had ended\n", core::excerpt(event.event),
                           core::format_duration(event.time));
  return lines;
}

// --- all arguments ---

namespace {

/// `simgrid (SimGrid's flow model), fluid (...)`.
std::string engines_in_words() {
  std::vector<std::string> all;
  for (const auto& entry : netsim::engines().entries()) all.push_back(fmt::format("{} ({})", entry.name, entry.help));
  return core::join(all);
}

}  // namespace

void add_simulate_arguments(CLI::App& app, SimulateOptions& options) {
  auto* command = &app;
  auto* o = &options;
  command->add_option("PLATFORM", o->platform, platform_help)->required();
  command->add_option(
      "TRACE", o->trace,
      "trace in any form (toroid list formats), or a generator such as stencil:grid=4x4x4 (toroid list generators)");
  add_repeated(*command, "--job", o->jobs, job_help);
  add_choice(*command, "--map", o->map, "mapper, or a mapping file: one node per line in rank order");
  add_value(*command, "--matrix", o->matrix,
            "messages that mappers see: expanded (collectives as their messages too), p2p (no collectives)");
  o->placement.add_to(*command);
  o->replay.add_to(*command);
  add_choice(*command, "--engine", o->engine, "what predicts the times: " + engines_in_words());
  add_seed(*command, o->seed);
  add_whole(*command, "--windows", o->windows, 0, 4096,
            "number of equal windows of the run, at most, in which links are measured: the peak use of a link "
            "is that in its busiest window; 0: none, which is faster");
  command->add_flag(fmt::format("--verify{{{}}}", netsim::reference_engine))
      ->description(
          fmt::format("run again with the engine {}, or with another (--verify=ENGINE), and report the deviation",
                      netsim::reference_engine))
      ->each([o](const std::string& engine) { o->verify = engine; });
  command->add_flag(
      "--explain", o->explain,
      "say why the run takes its time: on which links the critical path loses time, which messages were "
      "in its way, and what to change; runs again with each change of the machine and with the mapper "
      "quick, and takes about 100 bytes of memory for each message. With --job each job is explained, with the "
      "messages of other jobs in its way; all run again with one job placed by quick at a time, and without each job");
  add_uncertainty_option(
      *command, o->draws,
      "run also on N machines drawn from the intervals of properties (bandwidth=4.5..5.2GBps), and tell "
      "the median of the times, the interval for nine of ten with how far the engine itself is off, and which "
      "property they follow");
  command
      ->add_option("--workers", o->workers,
                   "worker processes of --uncertainty and --explain (default: as many as there are cores)")
      ->transform(whole(1, 4096))
      ->configurable(false);
  command->add_flag("--profile", o->profile, "report where the real time goes")->configurable(false);
  add_output(*command, "--json", o->json,
             "write the whole result as JSON (- for standard output); fields in docs/reference/results.md");
  command
      ->add_flag("--no-tables", o->no_tables,
                 "that file without its tables of links and ranks, which are most of it on large machines")
      ->configurable(false);
  add_output(
      *command, "--html", o->html,
      "write the run as a page to look at: the machine in 3-D with its links over time, ranks, critical path, who "
      "loses time where; the page needs no other file");
  add_output(*command, "--svg", o->svg,
             "draw a plane of the machine for print, its links by their mean use, nodes by job, as SVG");
  add_output(*command, "--pdf", o->pdf, "the same picture as PDF, by rsvg-convert");
  command->add_option(
      "--plane", o->plane,
      "the plane of --svg and --pdf on a machine with three or more dimensions: z=2 (default: that with "
      "the busiest link)");
  add_output(*command, "--columns", o->columns,
             "write what that page draws as columns of numbers (docs/reference/run-columns.md)");
  const auto& formats = views::run_formats().entries();
  for (std::size_t i = 0; i < formats.size(); ++i)
    add_output(*command, fmt::format("--{}", formats[i].name), o->run_files[i],
               fmt::format("write the run as {}", formats[i].help))
        ->type_name(formats[i].make.is_folder ? "FOLDER" : "FILE");
  add_output(*command, "--links-csv", o->links_csv, "write the load of every used link as CSV");
  add_output(*command, "--ranks-csv", o->ranks_csv, "write the times of every rank as CSV");
  add_output(*command, "--draws-csv", o->draws_csv,
             "write the values and the time of each machine of --uncertainty as CSV");
  add_output(
      *command, "--critical-path-csv", o->critical_path_csv,
      "write the chain of computations and messages that the run time is made of as CSV, and add it to the JSON; "
      "takes about 100 bytes of memory for each message");
  add_output(*command, "--jobs-csv", o->jobs_csv, "write a line for each --job as CSV");
  add_output(*command, "--contention-csv", o->contention_csv, "write which --job slows which as CSV");
  add_word(*command, "--others", o->others, {"stop", "go-on"},
           "what happens to the other jobs when one fails, as in a deadlock: stop (the run is an error), or go-on");
  add_word(*command, "--attribution", o->attribution, {"links", "shapley"},
           "how what each --job costs the others is found: links (from whose messages share links with whose, "
           "in one run), or shapley (exactly, by running all combinations of up to 6 jobs)");
  o->events.add_to(*command);
  o->what_if.add_to(*command);
}

}  // namespace toroid::cli
