#pragma once
// A field of a sweep as charts draw it: with a name and a unit that suits its values.

#include <optional>
#include <string>

#include "views/axes.hpp"
#include "views/swept_contenders.hpp"

namespace toroid::views {

class SweepQuantity {
 public:
  /// One of the fields that study::sweep_fields() names.
  SweepQuantity(const SweptContenders& contenders, std::string field);

  /// Its name with its unit: `mean wait [s]`.
  std::string axis() const;
  /// Whether a contender has it; the others may be asked of such alone.
  bool is_in(const SweptContender& one) const { return one.means.count(field_) > 0; }
  double of(const SweptContender& one) const { return mean_of(one).value / unit_.seconds; }
  /// The 95 % confidence interval of the mean; nothing for one run.
  std::optional<Span> bar(const SweptContender& one) const;
  /// The field with its value and interval, in the field's own unit.
  std::string told(const SweptContender& one) const;

 private:
  double longest(const SweptContenders& contenders) const;
  const SweptMean& mean_of(const SweptContender& one) const { return one.means.at(field_); }

  std::string field_, name_;
  TimeUnit unit_{1, ""};  ///< or another one: a hundredth is a per cent
};

}  // namespace toroid::views
