// Tables of who is faster in a comparison: verdicts, gains and pairs, and what other engines and machines that are
// drawn say of them; and the page that begins with the verdict.

#include "cli/config.hpp"
#include "cli/tables/comparison_tables.hpp"
#include "cli/tables/summary_lines.hpp"
#include "views/documents/page.hpp"
#include "views/studies/study_plot.hpp"

namespace toroid::cli {
namespace {

std::string p_in_words(double p) {
  return p < 0.001 ? "<0.001" : fmt::format("{:.2g}", p);
}
std::string p_in_words(const study::Contest::Pair& pair) {
  return pair.difference.test.empty() ? "-" : p_in_words(pair.difference.p_holm);
}

/// `1.84`, or `1.84 (1.79 to 1.92)` with the interval.
std::string ratio_in_words(const std::optional<study::Shift>& ratio) {
  if (!ratio) return "-";
  if (!ratio->interval) return fmt::format("{:.3f}", ratio->value);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio->value, ratio->interval->low, ratio->interval->high);
}

/// `8 pairs`, or `1 beside 8`.
std::string runs_in_words(const study::Contest& contest, const study::Contest::Pair& pair) {
  if (pair.difference.pairs > 0) return fmt::format("{} pairs", pair.difference.pairs);
  return fmt::format("{} beside {}", contest.contenders[pair.one].times.size(),
                     contest.contenders[pair.other].times.size());
}

/// `--repeat 31`, or that no study can have so many.
std::string runs_to_show_in_words(const std::optional<std::size_t>& runs) {
  if (!runs) return "-";
  if (*runs > study::most_repeats) return fmt::format("more than {}", study::most_repeats);
  return fmt::format("--repeat {}", *runs);
}

void add_drawn_times(const Compared& c, const study::Uncertainty& uncertainty, Tables& tables) {
  GroupTable table(c.spec(),
                   {fmt::format("median ({:g} %)", 100 * study::spread_share), "by machines", "rank correlations"});
  for (std::size_t i = 0; i < c.report.groups.size(); ++i) {
    const auto& draws = c.comparison.draws()[c.comparison.machine_of(c.report.groups[i].run)];
    const auto& times = uncertainty.times[i];
    std::vector<std::string> strongest;
    const auto spread = study::spread_of(times, uncertainty.deviation);
    if (spread)
      for (const auto& [interval, correlation] : study::influences(draws, times))
        if (correlation && strongest.size() < 3)
          strongest.push_back(fmt::format("{} {:+.2f}", draws.intervals[interval].property, *correlation));
    table.add(
        c.report.groups[i],
        {spread ? fmt::format("{} ({})", core::format_duration(spread->median), interval_in_words(spread->interval))
                : "-",
         spread ? interval_in_words(spread->machines) : "-", strongest.empty() ? "-" : core::join(strongest)});
  }
  std::vector<platforms::PropertyInterval> intervals;
  for (const auto& draws : c.comparison.draws())
    intervals.insert(intervals.end(), draws.intervals.begin(), draws.intervals.end());
  tables.push_back({"Times on drawn machines",
                    table.table(),
                    {drawn_in_words(c.draws.size(), intervals) + ", the same for all",
                     deviation_in_words(c.spec().engine), correlations_in_words(c.draws.size())}});
}

void add_drawn_verdicts(const Compared& c, const study::Uncertainty& uncertainty, Tables& tables) {
  GroupTable table(c.spec(), {"verdict holds on", "otherwise"}, c.spec().subject());
  const auto contests = c.report.contests();
  for (std::size_t i = 0; i < contests.size(); ++i) {
    const auto& verdict = uncertainty.verdicts[i];
    std::vector<std::string> otherwise;
    for (const auto& [text, count] : verdict.otherwise) otherwise.push_back(fmt::format("{} ({})", text, count));
    table.add(c.report.groups[contests[i]->contenders[0].group],
              {fmt::format("{} of {} machines", verdict.holds_on, c.draws.size()),
               otherwise.empty() ? "-" : core::join(otherwise, "; ")});
  }
  tables.push_back({"Verdicts on drawn machines", table.table()});
}

/// What winners, or those beside a baseline, gain on the machines that are drawn.
void add_drawn_gains(const Compared& c, const study::Uncertainty& uncertainty, Tables& tables) {
  GroupTable table(c.spec(), {"beside", fmt::format("times as fast ({:g} %)", 100 * study::spread_share), "by machines",
                              "faster on", "likely faster"});
  const auto contests = c.report.contests();
  for (const auto& gain : uncertainty.gains) {
    const auto& contenders = contests[gain.contest]->contenders;
    const auto& [median, machines] = gain.ratio;
    const auto& [interval, above_one] = gain.predicted;
    table.add(
        c.report.groups[contenders[gain.one].group],
        {contenders[gain.other].label, fmt::format("{:.3f} ({:.3f} to {:.3f})", median, interval.low, interval.high),
         fmt::format("{:.3f} to {:.3f}", machines.low, machines.high),
         fmt::format("{} of {} machines", gain.faster_on, gain.draws), fmt::format("{:.0f} %", 100 * above_one)});
  }
  tables.push_back({"Gains on drawn machines", table.table()});
}

/// `1 machine`, `3 mappers`
std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string introduction(const Compared& c) {
  const auto& s = c.spec();
  const auto allocs = s.names().allocs.size(), collectives = s.names().collectives.size();
  return fmt::format("Predicted {} of {} on {}{}{} with {}, up to {} each; engine {}, toroid {}.",
                     c.comparison.is_of_communication() ? "communication times (computation is left out)" : "run times",
                     counted(s.traces.size(), "trace"), counted(s.platforms.size(), "machine"),
                     allocs == 0 ? "" : " by " + counted(allocs, "allocator"),
                     collectives == 0 ? "" : " with " + counted(collectives, "choice") + " of collectives",
                     counted(s.maps.size(), "mapper"), counted(s.repeats, "run"), s.engine.text(), version);
}

std::string tests_in_words(const Compared& c) {
  const auto& s = c.spec();
  const auto* scope = s.subject() == Factor::trace      ? "on the machine"
                      : s.subject() == Factor::platform ? "with the same trace"
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

/// How many times as fast as the baseline each of the others is; nothing without a baseline.
void add_gains(const Compared& c, Tables& tables) {
  const auto& s = c.spec();
  if (!s.gains_over) return;
  const auto& baseline = s.labels.of(s.subject())[*s.gains_over];
  const bool whole = whole_unit(c.report.groups).has_value();
  std::vector<std::string> titles{"runs",
                                  fmt::format("times as fast as {} ({:g} %)", baseline, 100 * (1 - c.report.alpha))};
  if (whole) titles.emplace_back("of the whole");
  titles.insert(titles.end(), {"test", "p", "is", "to show it"});
  GroupTable table(s, titles);
  for (const auto* contest : c.report.contests())
    for (const auto& gain : contest->gains) {
      std::vector<std::string> row{runs_in_words(*contest, gain.pair), ratio_in_words(gain.speedup)};
      if (whole) row.push_back(decimals_or_dash(gain.speedup_of_whole, 3));
      const auto& test = gain.pair.difference.test;
      std::string is(gain.pair.conclusion);
      if (gain.speedup && gain.speedup_of_whole)
        if (const auto otherwise = contradiction(1 / gain.speedup->value - 1, 1 / *gain.speedup_of_whole - 1);
            !otherwise.empty())
          is += fmt::format(", {}", otherwise);
      row.insert(row.end(), {std::string(test.empty() ? "-" : test), p_in_words(gain.pair), is,
                             runs_to_show_in_words(gain.runs_to_show)});
      table.add(c.report.groups[contest->contenders[gain.pair.one].group], row);
    }
  tables.push_back(
      {fmt::format("Gain over {}", baseline), table.table(), study::notes_on_gains(c.comparison, c.report)});
}

void add_uncertainty(const Compared& c, Tables& tables) {
  if (c.draws.empty()) return;
  const auto uncertainty = study::uncertainty_of(c);
  add_drawn_times(c, uncertainty, tables);
  add_drawn_verdicts(c, uncertainty, tables);
  add_drawn_gains(c, uncertainty, tables);
}

/// The times by all engines side by side; nothing if there is one engine.
void add_engines(const Compared& c, Tables& tables) {
  if (c.opinions.empty()) return;
  const auto& s = c.spec();
  std::vector<const std::vector<Group>*> by_engine{&c.report.groups};
  for (const auto& opinion : c.opinions) by_engine.push_back(&opinion.groups);
  const auto unit = time_unit(c.report.groups);
  std::vector<std::string> titles{fmt::format("{} [{}]", s.engine.text(), unit.name())};
  for (const auto& engine : s.opinions) titles.push_back(fmt::format("{} [{}]", engine.text(), unit.name()));
  titles.emplace_back("place by each");
  GroupTable table(s, titles);
  for (std::size_t i = 0; i < c.report.groups.size(); ++i) {
    std::vector<std::string> row, places;
    for (const auto* groups : by_engine) {
      const auto& group = (*groups)[i];
      row.push_back(mean_or_dash(group, unit));
      places.push_back(group.place ? std::to_string(*group.place) : "-");
    }
    row.push_back(core::join(places));
    table.add(c.report.groups[i], row);
  }
  tables.push_back({"Means by engine", table.table(), study::notes_on_engines(c.comparison, c.report, c.opinions)});
}

ComparisonTable verdict_table(const Compared& c) {
  const auto& s = c.spec();
  std::vector<std::string> titles{fmt::format("verdict (level of significance {})", c.report.alpha)};
  for (const auto& engine : s.opinions) titles.push_back("holds under " + engine.text());
  GroupTable table(s, titles, s.subject());
  const auto contests = c.report.contests();
  for (std::size_t i = 0; i < contests.size(); ++i) {
    std::vector<std::string> row{contests[i]->verdict};
    for (const auto& opinion : c.opinions) row.push_back(study::holds(*contests[i], *opinion.contests()[i]));
    table.add(c.report.groups[contests[i]->contenders[0].group], row);
  }
  return {contests.size() == 1 ? "Verdict" : "Verdicts", table.table()};
}

std::string comparison_page(const Compared& c, const core::Json& whole) {
  views::HtmlPage page(fmt::format("Comparison of {}", plural_of(c.spec().subject())));
  page.paragraph(introduction(c));
  page.picture(views::study_plot_svg(views::study_of(whole), views::page_plot));
  // The answer comes first.
  const auto verdicts = verdict_table(c);
  add(page, verdicts);
  page.paragraph(tests_in_words(c));
  for (const auto& table : comparison_tables(c))
    if (table.title != verdicts.title) add(page, table);
  page.heading("What it was made from");
  page.preformatted(core::json_text(whole["manifest"], 1));
  return page.finish();
}

}  // namespace toroid::cli
