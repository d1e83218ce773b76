#include "cli/commands/simulate.hpp"
#include "cli/config.hpp"
#include "core/units.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::cli {

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
  record(manifest, placement_options, o.placement);
  if (!o.jobs.empty()) manifest.erase("nodes");  // each has its own
  manifest["map"] = o.map.text();
  manifest["matrix"] = o.matrix;
  manifest["seed"] = o.seed;
  record(manifest, replay_options, o.replay);
  record(manifest, event_options, o.events);
  if (!o.jobs.empty() || o.placement.has_neighbours()) manifest["others"] = o.others;
  if (o.draws > 0) manifest["uncertainty"] = o.draws;
  manifest["windows"] = o.windows;
  manifest["engine"] = o.engine.text();
  manifest["provenance"] = *kept.provenance(o.platform);
  return manifest;
}

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
  if (std::ranges::find(changeable, of_machine) == changeable.end())
    core::fail_input("'{}' cannot change while jobs run{}", core::excerpt(name),
                     core::valid_instead(of_machine, changeable));
  return {name, std::string(core::trim(std::string_view(event.which).substr(equals + 1)))};
}

void check_alike(const platforms::Machine& before, const platforms::Machine& after) {
  if (before.limits_injection() != after.limits_injection() || before.limits_ejection() != after.limits_ejection())
    core::fail_input("a limit of injection or ejection cannot come or go while jobs run");
}

}  // namespace

Options event_options(EventArguments& o) {
  return {
      Heading{"Events"},
      {"--at", o.at, repeated, setting_if(!o.at.empty()),
       fmt::format("something that happens in the middle of the run: TIME:fail-link LINK, TIME:set PROPERTY=VALUE (as "
                   "--fail-link and --set have them; engine {}), TIME:kill JOB (may be repeated)",
                   core::either(netsim::engines_that_change()))},
      {"--on-failure", o.on_failure, one_of({"reroute", "fail"}), setting_if(!o.at.empty()),
       "messages on a link that fails: reroute (what has not arrived starts again), or fail (their job fails)"},
  };
}

Events EventArguments::events(const platforms::Machine& machine, const std::vector<std::string>& jobs) const {
  std::vector<Event> all;
  for (const auto& text : at) all.push_back(cosim::of_event(text, [&] { return parse(text); }));
  std::ranges::stable_sort(all, [](const Event& a, const Event& b) { return a.time < b.time; });
  Events events;
  events.changes.on_link_failure = on_failure == "fail" ? netsim::OnLinkFailure::fail : netsim::OnLinkFailure::reroute;
  for (const auto& event : all)
    cosim::of_event(*event.text, [&] {
      if (event.what == "kill") {
        if (jobs.empty()) core::fail_input("found a single TRACE, expected jobs to kill one of: --job TRACE");
        const auto job = std::ranges::find(jobs, event.which);
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

Options viewer_options(SimulateOptions& o) {
  std::vector<Option> all;
  const auto& formats = views::run_formats().entries();
  TOROID_ASSERT(o.run_files.size() == formats.size());
  for (std::size_t i = 0; i < formats.size(); ++i)
    all.push_back({fmt::format("--{}", formats[i].name), o.run_files[i],
                   fmt::format("write the run as {}", formats[i].help),
                   formats[i].make.is_folder ? output_folder() : output_file()});
  return {
      Heading{"Pictures"},
      std::move(all),
  };
}

}  // namespace

Options simulate_options(SimulateOptions& o) {
  const auto verify = [&o](const std::string& engine) { o.verify = engine; };
  return {
      Heading{"Jobs"},
      platform_argument(o.platform),
      {"TRACE", o.trace, trace_name(), any_trace},
      {"--job", o.jobs, common, trace_name(), repeated,
       "a job, instead of TRACE: TRACE[@NODES or @ALLOCATOR][,name=...][,map=...][,start=TIME][,repeat=N or "
       "until-end][,seed=N][,ranks-per-node=N]; what has commas of its own stands in parentheses: "
       "'(cg:class=B,ranks=16)@(0-7,20-27)', and a box of nodes in two pairs: 'cg@((0-3,0,0))', or cg@z=0 (may be "
       "repeated)"},
      Heading{"Placement"},
      {"--map", o.map, common, "mapper, or a mapping file: one node per line in rank order"},
      {"--matrix", o.matrix, like({"expanded", "p2p"}),
       "messages that mappers see: expanded (collectives as their messages too), p2p (no collectives)"},
      placement_options(o.placement),
      replay_options(o.replay),
      Heading{"Run"},
      {"--engine", o.engine, common, "what predicts the times: " + engines_in_words()},
      seed_option(o.seed),
      {"--windows", o.windows, whole(0, 4096),
       "number of equal windows of the run, at most, in which links are measured: the peak use of a link is that in "
       "its busiest window; 0: none, which is faster"},
      Heading{"Questions"},
      {fmt::format("--verify{{{}}}", netsim::reference_engine), verify, entry_of(netsim::engines()),
       fmt::format("run again with the engine {}, or with another (--verify=ENGINE), and report the deviation",
                   netsim::reference_engine)},
      {"--explain", o.explain, common,
       "say why the run takes its time: on which links the critical path loses time, which messages were in its way, "
       "and what to change; runs again with each change of the machine and with the mapper quick, and takes about 100 "
       "bytes of memory for each message. With --job each job is explained, with the messages of other jobs in its "
       "way; all run again with one job placed by quick at a time, and without each job"},
      uncertainty_option(o.draws,
                         "run also on N machines drawn from the intervals of properties (bandwidth=4.5..5.2GBps), and "
                         "tell the median of the times, the interval for nine of ten with how far the engine itself is "
                         "off, and which property they follow"),
      workers_option(o.workers,
                     "worker processes of --uncertainty and --explain (default: as many as there are cores)"),
      {"--busiest", o.busiest, whole(0, 10), unrecorded, "how many of the busiest links the summary names"},
      Heading{"Results"},
      {"--json", o.json, common, output_file(),
       "write the whole result as JSON (- for standard output); fields in docs/reference/results.md"},
      {"--no-tables", o.no_tables, unrecorded,
       "that file without its tables of links and ranks, which are most of it on large machines"},
      Heading{"Pictures"},
      {"--html", o.html, common, output_file(),
       "write the run as a page to look at: the machine in 3-D with its links over time, ranks, critical path, who "
       "loses time where; the page needs no other file"},
      {"--svg", o.svg, output_file(),
       "draw a plane of the machine for print, its links by their mean use, nodes by job, as SVG"},
      {"--pdf", o.pdf, output_file(), "the same picture as PDF, by rsvg-convert"},
      {"--plane", o.plane,
       "the plane of --svg and --pdf on a machine with three or more dimensions: z=2 (default: that with the busiest "
       "link)"},
      {"--columns", o.columns, output_file(),
       "write what that page draws as columns of numbers (docs/reference/run-columns.md)"},
      viewer_options(o),
      Heading{"Results"},
      {"--links-csv", o.links_csv, output_file(), "write the load of every used link as CSV"},
      {"--ranks-csv", o.ranks_csv, output_file(), "write the times of every rank as CSV"},
      {"--draws-csv", o.draws_csv, output_file(),
       "write the values and the time of each machine of --uncertainty as CSV"},
      {"--critical-path-csv", o.critical_path_csv, output_file(),
       "write the chain of computations and messages that the run time is made of as CSV, and add it to the JSON; "
       "takes about 100 bytes of memory for each message"},
      {"--jobs-csv", o.jobs_csv, output_file(), "write a line for each --job as CSV"},
      {"--contention-csv", o.contention_csv, output_file(), "write which --job slows which as CSV"},
      Heading{"Several jobs"},
      {"--others", o.others, one_of({"stop", "go-on"}),
       "what happens to the other jobs when one fails, as in a deadlock: stop (the run is an error), or go-on"},
      event_options(o.events),
      machine_options(o.what_if),
  };
}

}  // namespace toroid::cli
