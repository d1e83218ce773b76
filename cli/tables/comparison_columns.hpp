#pragma once
// What tables of a comparison have alike: what lines begin with, how numbers are written, and the tables of who is
// faster.

#include "cli/tables/comparison_tables.hpp"
#include "core/units.hpp"

namespace toroid::cli {

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
