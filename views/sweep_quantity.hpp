#pragma once
// A metric of a sweep as charts draw it: with a name and a unit that suits its values.

#include <optional>
#include <string>
#include <string_view>

#include "cosim/schedule_metrics.hpp"
#include "views/axes.hpp"
#include "views/swept_contenders.hpp"

namespace toroid::views {

class SweepQuantity {
 public:
  /// The metric of cosim::schedule_metrics() that has this name, which must be one of theirs.
  SweepQuantity(const SweptContenders& contenders, std::string_view name);

  /// Its name with its unit: `mean wait [s]`.
  std::string axis() const;
  /// Whether a contender has it; the others may be asked of such alone.
  bool is_in(const SweptContender& one) const { return one.means.contains(metric_.name); }
  double of(const SweptContender& one) const { return mean_of(one).value / unit_.seconds; }
  /// The 95 % confidence interval of the mean; nothing for one run.
  std::optional<Span> bar(const SweptContender& one) const;
  /// The metric with its value and interval, in the metric's own unit.
  std::string told(const SweptContender& one) const;

 private:
  double longest(const SweptContenders& contenders) const;
  const SweptMean& mean_of(const SweptContender& one) const { return one.means.find(metric_.name)->second; }

  const cosim::ScheduleMetric& metric_;
  TimeUnit unit_{1, ""};  ///< or another one: a hundredth is a per cent
};

}  // namespace toroid::views
