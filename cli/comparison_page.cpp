#include "cli/comparison_page.hpp"

#include <fmt/format.h>

#include "cli/manifest.hpp"
#include "views/comparison_charts.hpp"
#include "views/html.hpp"

namespace toroid::cli {
namespace {

using study::Subject;
using views::ComparedTimes;

ComparedTimes::Subject subject_of(const study::ComparisonSpec& spec) {
  switch (spec.subject()) {
    case Subject::map:
      return ComparedTimes::Subject::maps;
    case Subject::alloc:
      return ComparedTimes::Subject::allocs;
    case Subject::platform:
      return ComparedTimes::Subject::platforms;
    default:
      return ComparedTimes::Subject::traces;
  }
}

std::vector<ComparedTimes::Named> named(const std::vector<std::string>& names, const std::vector<std::string>& labels) {
  std::vector<ComparedTimes::Named> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], labels[i]});
  return all;
}

ComparedTimes::Run run_of(const study::Comparison& comparison, const study::Run& run, const study::Measures& measures) {
  ComparedTimes::Run drawn{comparison.seed(run), measures.runtime, {}};
  for (std::size_t p = 0; p < measures.proxies.size(); ++p)
    if (const auto& metric = netsim::proxies()[p]; metric.use == netsim::Metric::Use::tooltip)
      drawn.metrics.emplace_back(metric.name, measures.proxies[p]);
  return drawn;
}

ComparedTimes::Group group_of(const study::Comparison& comparison, const study::Group& group) {
  ComparedTimes::Group one{{}, {}, group.failed};
  for (const auto& row : group.rows)
    if (row.measures) one.runs.push_back(run_of(comparison, row.run, *row.measures));
  if (!group.times.empty()) one.mean_s = study::mean(group.times);
  return one;
}

ComparedTimes::Engine engine_of(const study::Comparison& comparison, const netsim::EngineChoice& engine,
                                const study::Report& report) {
  ComparedTimes::Engine one{engine.text(), {}};
  for (const auto& group : report.groups) one.groups.push_back(group_of(comparison, group));
  return one;
}

/// `1 machine`, `3 mappers`
std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string introduction(const Compared& c) {
  const auto& s = c.spec();
  const auto allocs = s.names().allocs.size();
  return fmt::format("Predicted {} of {} on {}{} with {}, up to {} each; engine {}, toroid {}.",
                     c.comparison.is_of_communication() ? "communication times (computation is left out)" : "run times",
                     counted(s.traces.size(), "trace"), counted(s.platforms.size(), "machine"),
                     allocs == 0 ? "" : " by " + counted(allocs, "allocator"), counted(s.maps.size(), "mapper"),
                     counted(s.repeats, "run"), s.engine.text(), version);
}

std::string tests_in_words(const Compared& c) {
  const auto& s = c.spec();
  const auto* scope = s.subject() == Subject::trace      ? "on the machine"
                      : s.subject() == Subject::platform ? "with the same trace"
                                                         : "on the same machine with the same trace";
  return fmt::format(
      "p: how often a difference as large would come about by chance; below {} it counts. Two {} are compared by "
      "the Mann-Whitney test; in pairs of runs with the same seed by the signed-rank test, if both draw the same lots; "
      "without lots drawn there is a constant, compared by the sign test. All p are corrected (Holm) for the number of "
      "comparisons {}{}.",
      c.report.alpha, plural_of(s.subject()), s.gains_over ? "with the baseline " : "", scope);
}

void add(views::HtmlPage& page, const ComparisonTable& table) {
  page.heading(table.title);
  page.table(table.table);
  for (const auto& note : table.notes) page.paragraph(note);
}

}  // namespace

ComparedTimes compared_times(const Compared& c) {
  const auto& s = c.spec();
  const auto names = s.names();
  ComparedTimes times{.subject = subject_of(s),
                      .platforms = named(names.platforms, s.labels.platforms),
                      .traces = named(names.traces, s.labels.traces),
                      .allocs = named(names.allocs, s.labels.allocs),
                      .maps = named(names.maps, s.labels.maps),
                      .has_allocs = !names.allocs.empty(),
                      .of_communication = c.comparison.is_of_communication(),
                      .engines = {engine_of(c.comparison, s.engine, c.report)},
                      .tokens = s.subject() == Subject::trace ? c.comparison.equal_tokens() : std::nullopt,
                      .time_factors = {}};
  if (!times.has_allocs) times.allocs.resize(1);
  for (std::size_t k = 0; k < c.opinions.size(); ++k)
    times.engines.push_back(engine_of(c.comparison, s.opinions[k], c.opinions[k].report));
  for (std::size_t t = 0; t < s.traces.size(); ++t)
    times.time_factors.push_back(times.tokens ? c.comparison.time_factor(t) : 1);
  return times;
}

std::string comparison_page(const Compared& c, const core::Json& manifest) {
  const auto times = compared_times(c);
  views::HtmlPage page(fmt::format("Comparison of {}", plural_of(c.spec().subject())));
  page.paragraph(introduction(c));
  page.picture(bar_chart_svg(comparison_chart(times)));
  // The answer comes first.
  const auto verdicts = verdict_table(c);
  add(page, verdicts);
  page.paragraph(tests_in_words(c));
  for (const auto& table : comparison_tables(c))
    if (table.title != verdicts.title) add(page, table);
  if (times.platforms.size() > 1 && times.subject != ComparedTimes::Subject::platforms) {
    page.heading("Machines");
    page.picture(bar_chart_svg(machines_chart(times)));
  }
  page.heading("Looked at closer");
  for (const auto& [title, table, notes] : closer_tables(c)) {
    page.details(title, table);
    for (const auto& note : notes) page.paragraph(note);
  }
  page.heading("What it was made from");
  page.preformatted(core::json_text(manifest, 1));
  return page.finish();
}

}  // namespace toroid::cli
