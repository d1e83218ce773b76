#pragma once
// A field of the summary of a sweep as charts draw it: with a name and a unit that suits its values.

#include <optional>
#include <string>

#include "core/json.hpp"
#include "views/axes.hpp"
#include "views/line_chart.hpp"

namespace toroid::views {

class SweepQuantity {
 public:
  /// One of the fields that study::sweep_fields() names.
  SweepQuantity(const core::Json& summary, std::string field);

  /// Its name with its unit: `mean wait [s]`.
  std::string axis() const;
  // An entry is that of a contender in the summary.
  bool is_in(const core::Json& entry) const { return !entry.at(field_).is_null(); }
  double of(const core::Json& entry) const { return entry.at(field_).get<double>() / unit_.seconds; }
  /// The 95 % confidence interval of the mean; nothing for one run.
  std::optional<Span> bar(const core::Json& entry) const;
  /// The field with its value and interval, as the JSON has them.
  std::string told(const core::Json& entry) const;

 private:
  double longest(const core::Json& summary) const;
  const core::Json& interval_of(const core::Json& entry) const { return entry.at("intervals").at(field_); }

  std::string field_, name_;
  TimeUnit unit_{1, ""};  ///< or another one: a hundredth is a per cent
};

}  // namespace toroid::views
