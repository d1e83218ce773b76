#include "views/sweep_quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace toroid::views {

SweepQuantity::SweepQuantity(const SweptContenders& contenders, std::string field) : field_(std::move(field)) {
  if (field_ == "utilization") {
    unit_ = {0.01, "%"};
    name_ = "utilization of the machine";
  } else if (field_ == "avg_sum_pairwise_hops") {
    name_ = "pairwise hops summed in a job, mean";
  } else if (field_ == "mean_bounded_slowdown") {
    name_ = "bounded slowdown, mean";
  } else {
    name_ = field_ == "makespan_s"        ? "makespan"
            : field_ == "mean_wait_s"     ? "mean wait"
            : field_ == "mean_run_time_s" ? "mean run time"
                                          : "mean response time";
    unit_ = time_unit(longest(contenders));
  }
}

std::string SweepQuantity::axis() const {
  return unit_.name.empty() ? name_ : fmt::format("{} [{}]", name_, unit_.name);
}

std::optional<Span> SweepQuantity::bar(const SweptContender& one) const {
  const auto& interval = mean_of(one).interval;
  if (!interval) return std::nullopt;
  return Span{interval->low / unit_.seconds, interval->high / unit_.seconds};
}

std::string SweepQuantity::told(const SweptContender& one) const {
  const auto& mean = mean_of(one);
  auto text = fmt::format("{} {:.6g}", field_, mean.value);
  if (mean.interval) text += fmt::format(" ({:.6g} to {:.6g})", mean.interval->low, mean.interval->high);
  return text;
}

double SweepQuantity::longest(const SweptContenders& contenders) const {
  double longest = 0;
  for (const auto& one : contenders)
    if (is_in(one)) longest = std::max(longest, mean_of(one).value);
  return longest;
}

}  // namespace toroid::views
