#pragma once
// The tables of a comparison: on the screen, in Markdown and for LaTeX.

#include "core/table.hpp"
#include "core/units.hpp"
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

using study::Factor;
using study::Group;
using Tables = std::vector<ComparisonTable>;

/// A table whose lines begin with what was run, the machine first; but for a factor that the things of a line do not
/// have in common.
class GroupTable {
 public:
  /// `titles` are those of the other columns.
  GroupTable(const study::ComparisonSpec& s, std::vector<std::string> titles, std::optional<Factor> without = {},
             const char* machine = "machine");
  /// Adds a line for runs such as those of the group.
  void add(const Group& group, std::vector<std::string> cells);
  const core::Table& table() const { return table_; }

 private:
  const study::ComparisonSpec& spec_;
  std::optional<Factor> without_;
  core::Table table_;
};

std::string decimals_or_dash(const std::optional<double>& value, int digits);
std::string mean_or_dash(const Group& group, const core::DurationUnit& unit);

/// The unit in which all times of the groups are told.
core::DurationUnit time_unit(const std::vector<Group>& groups);
/// The unit of all times with the computation that other times leave out; nothing if none do.
std::optional<core::DurationUnit> whole_unit(const std::vector<Group>& groups);

/// What must be said of a communication time that goes one way where the time with computation goes the other way. Both
/// changes are ratios, less 1.
std::string_view contradiction(double change, const std::optional<double>& of_whole);

// Tables of who is faster; none where there is nothing to say.

void add_gains(const Compared& c, Tables& tables);
void add_uncertainty(const Compared& c, Tables& tables);
void add_engines(const Compared& c, Tables& tables);

}  // namespace toroid::cli
