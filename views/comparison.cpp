#include "views/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "core/units.hpp"
#include "netsim/network.hpp"
#include "views/comparison_charts.hpp"
#include "views/html.hpp"

namespace toroid::views {

using core::Json;

namespace {

constexpr const char* none = "\u2013";
/// The most that `compare --repeat` takes; a number of runs above it stands for all that are more.
constexpr std::size_t most_repeats = 1000000;

std::string seconds(const Json& value) {
  return value.is_null() ? none : core::format_duration(value);
}

std::string decimals(const Json& value, int digits) {
  return value.is_null() ? none : fmt::format("{:.{}f}", value.get<double>(), digits);
}

std::string p_value(const Json& p) {
  if (p.is_null()) return none;
  return p < 0.001 ? "< 0.001" : fmt::format("{:.2g}", p.get<double>());
}

std::string count(const Json& names, const char* what) {
  return fmt::format("{} {}{}", names.size(), what, names.size() == 1 ? "" : "s");
}

/// The labels by the names that are in manifest and tables.
class Labels {
 public:
  explicit Labels(const Json& comparison) {
    for (const char* kind : {"platforms", "traces", "allocs", "maps"}) {
      if (!comparison["labels"].contains(kind)) continue;
      const auto &names = comparison["manifest"][kind], &labels = comparison["labels"][kind];
      for (std::size_t i = 0; i < names.size(); ++i) labels_[{kind, names[i]}] = labels[i];
      if (kind == std::string_view("allocs")) allocs_ = names.size();
    }
  }
  std::string platform(const Json& name) const { return labels_.at({"platforms", name}); }
  std::string trace(const Json& name) const { return labels_.at({"traces", name}); }
  std::string alloc(const Json& name) const { return labels_.at({"allocs", name}); }
  std::string map(const Json& name) const { return labels_.at({"maps", name}); }
  /// Whether there are several allocators, so that tables name them.
  bool has_allocs() const { return allocs_ > 1; }

 private:
  std::map<std::pair<std::string, std::string>, std::string> labels_;  ///< by kind and name
  std::size_t allocs_ = 0;
};

/// The columns that tables of runs, or of what several have in common, begin with.
std::vector<HtmlColumn> place_columns(const Labels& label, const char* machine = "machine") {
  std::vector<HtmlColumn> columns{{machine}, {"trace"}};
  if (label.has_allocs()) columns.push_back({"allocator"});
  return columns;
}
std::vector<HtmlColumn> name_columns(const Labels& label, const char* machine = "machine") {
  auto columns = place_columns(label, machine);
  columns.push_back({"mapper"});
  return columns;
}

/// Their cells.
std::vector<std::string> place_cells(const Labels& label, const Json& one) {
  std::vector<std::string> cells{label.platform(one["platform"]), label.trace(one["trace"])};
  if (label.has_allocs()) cells.push_back(label.alloc(one["alloc"]));
  return cells;
}
std::vector<std::string> name_cells(const Labels& label, const Json& one) {
  auto cells = place_cells(label, one);
  cells.push_back(label.map(one["map"]));
  return cells;
}

std::string introduction(const Json& comparison) {
  const auto& manifest = comparison["manifest"];
  const auto allocs = manifest.value("allocs", Json::array());
  return fmt::format("Predicted {} of {} on {}{} with {}, up to {} run{} each; engine {}, toroid {}.",
                     is_of_communication(comparison) ? "communication times (computation is left out)" : "run times",
                     count(manifest["traces"], "trace"), count(manifest["platforms"], "machine"),
                     allocs.empty() ? "" : " by " + count(allocs, "allocator"), count(manifest["maps"], "mapper"),
                     manifest["repeat"].get<std::size_t>(), manifest["repeat"] == 1 ? "" : "s",
                     manifest["engine"].get<std::string>(), manifest["toroid"].get<std::string>());
}

std::string over_all(const Json& one) {
  const auto& test = one["kruskal_wallis"];
  return p_value(test.is_null() ? Json() : test["p"]);
}

/// What is judged: programs, machines by trace, allocators by machine and trace, or mappers.
std::vector<const Json*> contests(const Json& comparison) {
  if (compares_programs(comparison)) return {&comparison["programs"]};
  std::vector<const Json*> all;
  const auto* kind = compares_machines(comparison)     ? "machines"
                     : compares_allocators(comparison) ? "allocators"
                                                       : "statistics";
  for (const auto& one : comparison[kind]) all.push_back(&one);
  return all;
}

/// With a column for each engine that was asked whether the verdicts hold.
HtmlTable verdicts(const Json& comparison, const Labels& label) {
  const auto all = contests(comparison);
  const bool by_machine = !compares_machines(comparison), by_trace = !compares_programs(comparison);
  const bool by_alloc = label.has_allocs() && !compares_allocators(comparison);
  std::vector<HtmlColumn> columns;
  if (by_machine) columns.push_back({"machine"});
  if (by_trace) columns.push_back({"trace"});
  if (by_alloc) columns.push_back({"allocator"});
  columns.insert(columns.end(), {{"verdict"}, {"Kruskal-Wallis p", true}});
  const auto engines = all.empty() ? Json() : all[0]->value("holds_under", Json());
  for (const auto& [engine, how] : engines.items()) columns.push_back({"holds under " + engine});
  HtmlTable table(columns);
  for (const auto* one : all) {
    std::vector<std::string> row;
    if (by_machine) row.push_back(label.platform((*one)["platform"]));
    if (by_trace) row.push_back(label.trace((*one)["trace"]));
    if (by_alloc) row.push_back(label.alloc((*one)["alloc"]));
    row.insert(row.end(), {(*one)["verdict"], over_all(*one)});
    for (const auto& [engine, how] : engines.items()) row.push_back((*one)["holds_under"][engine]);
    table.add(row);
  }
  return table;
}

std::string test_name(const Json& test) {
  return test.is_null() ? none : test.get<std::string>();
}

HtmlTable pairs(const Json& statistics, const Labels& label) {
  auto columns = name_columns(label);
  columns.insert(columns.end(),
                 {{"is"}, {"other"}, {"wins", true}, {"test"}, {"pairs", true}, {"p", true}, {"p (Holm)", true}});
  HtmlTable table(columns);
  for (const auto& one : statistics)
    for (const auto& pair : one["pairs"]) {
      auto cells = place_cells(label, one);
      cells.insert(cells.end(),
                   {label.map(pair["map"]), pair["conclusion"], label.map(pair["other"]),
                    fmt::format("{:.0f} %", 100 * pair["faster_share"].get<double>()), test_name(pair["test"]),
                    pair["pairs"].is_null() ? none : std::to_string(pair["pairs"].get<std::size_t>()),
                    p_value(pair["p"]), p_value(pair["p_holm"])});
      table.add(cells);
    }
  return table;
}

/// Whether any run was done again with the computation that it leaves out.
bool has_computation_beside(const Json& summary) {
  return std::any_of(summary.begin(), summary.end(),
                     [](const Json& line) { return !line["with_computation_s"].is_null(); });
}

HtmlTable times(const Json& summary, const Labels& label) {
  const bool beside = has_computation_beside(summary);
  auto columns = name_columns(label);
  columns.insert(columns.end(), {{"runs", true},
                                 {"failed", true},
                                 {"best", true},
                                 {"mean", true},
                                 {"worst", true},
                                 {"std dev", true},
                                 {"mean/best", true}});
  if (beside) columns.insert(columns.end(), {{"with computation", true}, {"over the least", true}});
  columns.push_back({fmt::format("vs {}", netsim::reference_engine), true});
  HtmlTable table(columns);
  for (const auto& line : summary) {
    auto cells = name_cells(label, line);
    cells.insert(cells.end(), {line["runs"].dump(), line["failed"].dump(), seconds(line["best_s"]),
                               seconds(line["mean_s"]), seconds(line["worst_s"]), seconds(line["standard_deviation_s"]),
                               decimals(line["mean_normalized"], 3)});
    if (beside)
      cells.insert(cells.end(),
                   {seconds(line["with_computation_s"]), decimals(line["with_computation_normalized"], 3)});
    const auto& deviation = line["verification_deviation"];
    cells.push_back(deviation.is_null() ? none : core::format_percent(deviation, 3));
    table.add(cells);
  }
  return table;
}

HtmlTable computations(const Json& cases, const Labels& label) {
  HtmlTable table({{"machine"},
                   {"trace"},
                   {"computation"},
                   {"of the busiest rank", true},
                   {"of all ranks", true},
                   {"a mapping gains of the whole at most", true}});
  for (const auto& one : cases) {
    const auto& gain = one["gain_at_most"];
    table.add({label.platform(one["platform"]), label.trace(one["trace"]),
               one["left_out"] ? "left out" : fmt::format("times {}", one["scale"].get<double>()),
               seconds(one["busiest_rank_s"]), seconds(one["all_ranks_s"]),
               gain.is_null() ? none : fmt::format("{:.1f} %", 100 * gain.get<double>())});
  }
  return table;
}

/// How fast models are trained, and what ranks wait for meanwhile.
HtmlTable trainings(const Json& summary, const Labels& label) {
  const auto purposes = purposes_of(summary);
  auto columns = name_columns(label);
  columns.insert(columns.end(), {{"tokens", true}, {"tokens/s", true}, {"MFU", true}});
  for (const auto& purpose : purposes) columns.push_back({"wait for " + purpose, true});
  HtmlTable table(columns);
  for (const auto& line : summary) {
    const auto training = line.value("training", Json());
    const auto number = [&](const char* field) { return training.is_null() ? Json() : training[field]; };
    const auto mfu = number("mfu");
    auto cells = name_cells(label, line);
    cells.insert(cells.end(), {decimals(number("tokens"), 0), decimals(number("tokens_per_second"), 0),
                               mfu.is_null() ? none : fmt::format("{:.1f} %", 100 * mfu.get<double>())});
    const auto waits = line.value("exposed_s", Json::object());
    for (const auto& purpose : purposes) cells.push_back(seconds(waits.value(purpose, Json())));
    table.add(cells);
  }
  return table;
}

/// Which layout is best, each with its best mapper.
HtmlTable layouts(const Json& layouts, const Labels& label) {
  auto columns = name_columns(label);
  const auto& tokens = layouts[0]["tokens"];
  columns.insert(columns.end(), {{tokens.is_null() ? "mean" : "mean for " + decimals(tokens, 0) + " tokens", true},
                                 {"over the best", true},
                                 {"tokens/s", true}});
  HtmlTable table(columns);
  for (const auto& one : layouts) {
    auto cells = name_cells(label, one);
    cells.insert(cells.end(), {seconds(one["mean_s"]), decimals(one["normalized"], 3),
                               decimals(one["training"]["tokens_per_second"], 0)});
    table.add(cells);
  }
  return table;
}

HtmlTable gains(const Json& comparison, const Labels& label, const std::string& baseline) {
  const auto& manifest = comparison["manifest"];
  auto columns = name_columns(label);
  columns.insert(columns.end(), {{"runs", true},
                                 {"of the baseline", true},
                                 {"pairs", true},
                                 {"times as fast as " + baseline, true},
                                 {fmt::format("{:g} % interval", 100 * (1 - manifest["alpha"].get<double>())), true},
                                 {"of the whole", true},
                                 {"test"},
                                 {"p (Holm)", true},
                                 {"is"},
                                 {"runs to show it", true}});
  HtmlTable table(columns);
  for (const auto* one : contests(comparison))
    for (const auto& gain : (*one)["gains"]) {
      // What the contest has in common, what the gain is of, or what there is one of.
      Json names;
      for (const std::string kind : {"platform", "trace", "alloc", "map"})
        if (manifest.contains(kind + "s"))
          names[kind] = one->value(kind, gain.value(kind, manifest[kind + "s"][0].get<std::string>()));
      const auto &interval = gain["speedup_interval"], &runs = gain["runs_to_show"];
      auto cells = name_cells(label, names);
      cells.insert(cells.end(),
                   {gain["runs"].dump(), gain["baseline_runs"].dump(),
                    gain["pairs"].is_null() ? none : gain["pairs"].dump(), decimals(gain["speedup"], 3),
                    interval.is_null() ? none : decimals(interval[0], 3) + " to " + decimals(interval[1], 3),
                    decimals(gain["speedup_with_computation"], 3), test_name(gain["test"]), p_value(gain["p_holm"]),
                    gain["conclusion"],
                    runs.is_null()        ? none
                    : runs > most_repeats ? fmt::format("more than {}", most_repeats)
                                          : runs.dump()});
      table.add(cells);
    }
  return table;
}

/// The mean times by each engine, and the place of each.
HtmlTable engines(const Json& comparison, const Labels& label) {
  auto columns = name_columns(label);
  columns.push_back({comparison["manifest"]["engine"], true});
  for (const auto& opinion : comparison["opinions"]) columns.push_back({opinion["engine"], true});
  columns.push_back({"place by each"});
  HtmlTable table(columns);
  for (std::size_t i = 0; i < comparison["summary"].size(); ++i) {
    std::vector<const Json*> lines{&comparison["summary"][i]};
    for (const auto& opinion : comparison["opinions"]) lines.push_back(&opinion["summary"][i]);
    const auto& first = *lines[0];
    auto cells = name_cells(label, first);
    std::vector<std::string> places;
    for (const auto* line : lines) {
      cells.push_back(seconds((*line)["mean_s"]));
      places.push_back((*line)["place"].is_null() ? none : (*line)["place"].dump());
    }
    cells.push_back(core::join(places));
    table.add(cells);
  }
  return table;
}

HtmlTable changes(const Json& what_ifs, const Labels& label) {
  auto columns = name_columns(label, "what-if");
  columns.push_back({"change", true});
  HtmlTable table(columns);
  for (const auto& one : what_ifs) {
    const auto& change = one["relative_change"];
    auto cells = name_cells(label, one);
    cells.push_back(change.is_null() ? none : core::format_percent(change, 2));
    table.add(cells);
  }
  return table;
}

HtmlTable correlations(const Json& correlations) {
  HtmlTable table({{"proxy"},
                   {"Spearman, median", true},
                   {"lowest", true},
                   {"highest", true},
                   {"Pearson, median", true},
                   {"cases", true}});
  for (const auto& line : correlations)
    table.add({line["metric"], decimals(line["spearman_median"], 2), decimals(line["spearman_lowest"], 2),
               decimals(line["spearman_highest"], 2), decimals(line["pearson_median"], 2), line["count"].dump()});
  return table;
}

HtmlTable correlations_by_trace(const Json& statistics, const Labels& label) {
  auto columns = place_columns(label);
  for (const auto& line : statistics[0]["correlations"]) columns.push_back({line["metric"], true});
  HtmlTable table(columns);
  for (const auto& one : statistics) {
    auto cells = place_cells(label, one);
    for (const auto& line : one["correlations"]) cells.push_back(decimals(line["spearman"], 2));
    table.add(cells);
  }
  return table;
}

void add_notes(HtmlPage& page, const Json& notes) {
  for (const auto& note : notes) page.paragraph(note.get<std::string>());
}

std::string subject_in_words(const Json& comparison) {
  return compares_programs(comparison)     ? "programs"
         : compares_machines(comparison)   ? "machines"
         : compares_allocators(comparison) ? "allocators"
                                           : "mappers";
}

}  // namespace

std::string comparison_svg(const Json& comparison, const BarLengths& lengths) {
  return bar_chart_svg(compares_programs(comparison)     ? programs_chart(comparison, lengths)
                       : compares_machines(comparison)   ? machines_chart(comparison, lengths)
                       : compares_allocators(comparison) ? allocators_chart(comparison, lengths)
                                                         : mappers_chart(comparison, lengths));
}

std::string comparison_html(const Json& comparison) {
  const auto& manifest = comparison["manifest"];
  const auto& statistics = comparison["statistics"];
  const Labels label(comparison);
  const bool of_machines = compares_machines(comparison), of_programs = compares_programs(comparison),
             of_allocators = compares_allocators(comparison);
  HtmlPage page("Comparison of " + subject_in_words(comparison));
  page.paragraph(introduction(comparison));
  page.picture(comparison_svg(comparison));

  page.heading("Verdicts");
  page.table(verdicts(comparison, label));
  page.paragraph(fmt::format(
      "p: how often a difference as large would come about by chance; below {} it counts. Two {} are compared by "
      "the Mann-Whitney test; in pairs of runs with the same seed by the signed-rank test, if both draw the same lots; "
      "without lots drawn there is a constant, compared by the sign test. All p are corrected (Holm) for the number of "
      "comparisons {}{}.",
      manifest["alpha"].get<double>(), subject_in_words(comparison),
      manifest.contains("baseline") ? "with the baseline " : "",
      of_programs   ? "on the machine"
      : of_machines ? "with the same trace"
                    : "on the same machine with the same trace"));
  if (comparison["subject"] == "map") page.details("All pairs", pairs(statistics, label));

  if (manifest.contains("baseline")) {
    const auto baseline = of_programs     ? label.trace(manifest["baseline"])
                          : of_machines   ? label.platform(manifest["baseline"])
                          : of_allocators ? label.alloc(manifest["baseline"])
                                          : label.map(manifest["baseline"]);
    page.heading("Gain over " + baseline);
    page.table(gains(comparison, label, baseline));
    add_notes(page, comparison["gain_notes"]);
  }
  if (comparison.contains("opinions")) {
    page.heading("Means by engine");
    page.table(engines(comparison, label));
    add_notes(page, comparison["engine_notes"]);
  }
  if (!purposes_of(comparison["summary"]).empty()) {
    page.heading("Training");
    page.table(trainings(comparison["summary"], label));
    page.paragraph(
        "Tokens per second and MFU (model FLOPs utilisation) at the mean time; how long a rank waits, on average.");
  }
  if (comparison.contains("layouts")) {
    page.heading("Layouts");
    page.table(layouts(comparison["layouts"], label));
    page.paragraph("Each program with the mapper that has the lowest mean there.");
  }
  if (!comparison["what_ifs"].empty()) {
    page.heading("What-ifs");
    page.table(changes(comparison["what_ifs"], label));
  }
  if (manifest["platforms"].size() > 1 && !of_machines) {
    page.heading("Machines");
    page.picture(bar_chart_svg(machines_chart(comparison)));
  }
  page.heading("Run times");
  page.table(times(comparison["summary"], label));
  if (has_computation_beside(comparison["summary"]))
    page.paragraph(
        "With computation: the median run again, with the computation that the other times leave out; beside it, over "
        "the least that it is compared with.");
  page.details("Computation by machine and trace", computations(comparison["computation"], label));

  page.heading("Do proxies tell the run time?");
  page.paragraph(
      "Correlation of each metric of a run with its run time, over all runs of a machine and trace; median, lowest and "
      "highest over machines and traces. 1: the higher, the slower; 0: tells nothing.");
  page.table(correlations(comparison["correlations"]));
  page.details("Spearman by machine and trace", correlations_by_trace(statistics, label));

  page.heading("What it was made from");
  page.preformatted(core::json_text(manifest, 1));
  return page.finish();
}

}  // namespace toroid::views
