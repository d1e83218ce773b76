#include "cli/tables/comparison_tables.hpp"

#include "cli/config.hpp"
#include "views/documents/page.hpp"
#include "views/studies/study_plot.hpp"

namespace toroid::cli {
namespace {

using study::Factor;

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
