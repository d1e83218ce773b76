#pragma once
// What there is to say of a job, field by field: columns of tables, and what formats declare that they cannot say.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "jobs/jobs.hpp"

namespace toroid::jobs {

struct JobField {
  std::string_view name;  ///< the name of its column in a table
  /// Where a job keeps the value.
  std::variant<double*, std::int64_t*, std::int32_t*, std::string*> (*in)(Job& job);

  /// The value as text; empty where it is not known, as a number below 0 is not.
  std::string text(Job& job) const;
  /// Reads the value. Returns what was expected if the text is not that, otherwise nothing.
  std::string read(Job& job, std::string_view text) const;
  void forget(Job& job) const;
};

/// All fields but the demand, which no format can say.
const std::vector<JobField>& job_fields();
std::vector<std::string> job_field_names();
/// The field of this name; null if there is none.
const JobField* job_field(std::string_view name);

}  // namespace toroid::jobs
