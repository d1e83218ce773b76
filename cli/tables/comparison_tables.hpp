#pragma once
// The tables of a comparison: on the screen, in Markdown and for LaTeX.

#include "core/table.hpp"
#include "study/opinions.hpp"

namespace toroid::cli {

using study::Compared;

/// A table, and what its reader must know.
struct ComparisonTable {
  std::string title;
  core::Table table;
  std::vector<std::string> notes = {};  ///< lines below it
};

/// All tables that have anything to say.
std::vector<ComparisonTable> comparison_tables(const Compared& compared);
/// The one of them that tells who is fastest.
ComparisonTable verdict_table(const Compared& compared);

/// The comparison as one HTML page without scripts or other files: pictures, verdicts, all other tables, and the
/// manifest, which says what it was made from. `whole` is what the command writes as JSON.
std::string comparison_page(const Compared& compared, const core::Json& whole);

/// The tables for the screen: without their titles, an empty line between two of them.
std::string text_of(const std::vector<ComparisonTable>& tables);
std::string markdown_of(const std::vector<ComparisonTable>& tables);
/// A `table` for each, which needs the package booktabs.
std::string tex_of(const std::vector<ComparisonTable>& tables);

}  // namespace toroid::cli
