#include "views/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/units.hpp"
#include "netsim/network.hpp"
#include "views/comparison_charts.hpp"
#include "views/html.hpp"

namespace toroid::views {

using core::Json;

namespace {

constexpr const char* none = "\u2013";

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
    for (const char* kind : {"platforms", "traces", "maps"}) {
      const auto &names = comparison["manifest"][kind], &labels = comparison["labels"][kind];
      for (std::size_t i = 0; i < names.size(); ++i) labels_[{kind, names[i]}] = labels[i];
    }
  }
  std::string platform(const Json& name) const { return labels_.at({"platforms", name}); }
  std::string trace(const Json& name) const { return labels_.at({"traces", name}); }
  std::string map(const Json& name) const { return labels_.at({"maps", name}); }

 private:
  std::map<std::pair<std::string, std::string>, std::string> labels_;  ///< by kind and name
};

std::string introduction(const Json& comparison) {
  const auto& manifest = comparison["manifest"];
  return fmt::format("Predicted {} of {} on {} with {}, up to {} run{} each; engine {}, toroid {}.",
                     is_of_communication(comparison) ? "communication times (computation is left out)" : "run times",
                     count(manifest["traces"], "trace"), count(manifest["platforms"], "machine"),
                     count(manifest["maps"], "mapper"), manifest["repeat"].get<std::size_t>(),
                     manifest["repeat"] == 1 ? "" : "s", manifest["engine"].get<std::string>(),
                     manifest["toroid"].get<std::string>());
}

std::string over_all(const Json& one) {
  const auto& test = one["kruskal_wallis"];
  return p_value(test.is_null() ? Json() : test["p"]);
}

/// With a column for each engine that was asked whether the verdicts hold.
HtmlTable verdicts(const Json& statistics, const Labels& label) {
  std::vector<HtmlColumn> columns{{"machine"}, {"trace"}, {"verdict"}, {"Kruskal-Wallis p", true}};
  const auto engines = statistics.empty() ? Json() : statistics[0].value("holds_under", Json());
  for (const auto& [engine, how] : engines.items()) columns.push_back({"holds under " + engine});
  HtmlTable table(columns);
  for (const auto& one : statistics) {
    std::vector<std::string> row{label.platform(one["platform"]), label.trace(one["trace"]), one["verdict"],
                                 over_all(one)};
    for (const auto& [engine, how] : engines.items()) row.push_back(one["holds_under"][engine]);
    table.add(row);
  }
  return table;
}

HtmlTable verdicts_on_machines(const Json& machines, const Labels& label) {
  HtmlTable table({{"trace"}, {"verdict"}, {"Kruskal-Wallis p", true}});
  for (const auto& one : machines) table.add({label.trace(one["trace"]), one["verdict"], over_all(one)});
  return table;
}

HtmlTable pairs(const Json& statistics, const Labels& label) {
  HtmlTable table({{"machine"},
                   {"trace"},
                   {"mapper"},
                   {"is"},
                   {"other"},
                   {"wins", true},
                   {"test"},
                   {"pairs", true},
                   {"p", true},
                   {"p (Holm)", true}});
  for (const auto& one : statistics)
    for (const auto& pair : one["pairs"])
      table.add({label.platform(one["platform"]), label.trace(one["trace"]), label.map(pair["map"]), pair["conclusion"],
                 label.map(pair["other"]), fmt::format("{:.0f} %", 100 * pair["faster_share"].get<double>()),
                 pair["test"].is_null() ? none : pair["test"].get<std::string>(),
                 pair["pairs"].is_null() ? none : std::to_string(pair["pairs"].get<std::size_t>()), p_value(pair["p"]),
                 p_value(pair["p_holm"])});
  return table;
}

/// Whether any run was done again with the computation that it leaves out.
bool has_computation_beside(const Json& summary) {
  return std::any_of(summary.begin(), summary.end(),
                     [](const Json& line) { return !line["with_computation_s"].is_null(); });
}

HtmlTable times(const Json& summary, const Labels& label) {
  const bool beside = has_computation_beside(summary);
  std::vector<HtmlColumn> columns{{"machine"},       {"trace"},          {"mapper"},     {"runs", true},
                                  {"failed", true},  {"best", true},     {"mean", true}, {"worst", true},
                                  {"std dev", true}, {"mean/best", true}};
  if (beside) columns.insert(columns.end(), {{"with computation", true}, {"over the least", true}});
  columns.push_back({fmt::format("vs {}", netsim::reference_engine), true});
  HtmlTable table(columns);
  for (const auto& line : summary) {
    std::vector<std::string> cells{label.platform(line["platform"]),
                                   label.trace(line["trace"]),
                                   label.map(line["map"]),
                                   line["runs"].dump(),
                                   line["failed"].dump(),
                                   seconds(line["best_s"]),
                                   seconds(line["mean_s"]),
                                   seconds(line["worst_s"]),
                                   seconds(line["standard_deviation_s"]),
                                   decimals(line["mean_normalized"], 3)};
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

HtmlTable changes(const Json& what_ifs, const Labels& label) {
  HtmlTable table({{"what-if"}, {"trace"}, {"mapper"}, {"change", true}});
  for (const auto& one : what_ifs) {
    const auto& change = one["relative_change"];
    table.add({label.platform(one["platform"]), label.trace(one["trace"]), label.map(one["map"]),
               change.is_null() ? none : core::format_percent(change, 2)});
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
  std::vector<HtmlColumn> columns{{"machine"}, {"trace"}};
  for (const auto& line : statistics[0]["correlations"]) columns.push_back({line["metric"], true});
  HtmlTable table(columns);
  for (const auto& one : statistics) {
    std::vector<std::string> cells{label.platform(one["platform"]), label.trace(one["trace"])};
    for (const auto& line : one["correlations"]) cells.push_back(decimals(line["spearman"], 2));
    table.add(cells);
  }
  return table;
}

}  // namespace

std::string comparison_svg(const Json& comparison) {
  return bar_chart_svg(compares_machines(comparison) ? machines_chart(comparison) : mappers_chart(comparison));
}

std::string comparison_html(const Json& comparison) {
  const auto& manifest = comparison["manifest"];
  const auto& statistics = comparison["statistics"];
  const Labels label(comparison);
  const bool of_machines = compares_machines(comparison);
  HtmlPage page(of_machines ? "Comparison of machines" : "Comparison of mappings");
  page.paragraph(introduction(comparison));
  page.picture(comparison_svg(comparison));

  page.heading("Verdicts");
  page.table(of_machines ? verdicts_on_machines(comparison["machines"], label) : verdicts(statistics, label));
  page.paragraph(fmt::format(
      "p: how often a difference as large would come about by chance; below {} it counts. Two {} are compared by "
      "the Mann-Whitney test; in pairs of runs with the same seed by the signed-rank test, if both draw the same lots; "
      "without lots drawn there is a constant, compared by the sign test. All are corrected (Holm) per kind of test, "
      "for the number of its pairs on the same {}trace.",
      manifest["alpha"].get<double>(), of_machines ? "machines" : "mappers", of_machines ? "" : "machine and "));
  if (!of_machines) page.details("All pairs", pairs(statistics, label));

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
        "the least of the same machine and trace.");
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
