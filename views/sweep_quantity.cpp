#include "views/sweep_quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace toroid::views {

SweepQuantity::SweepQuantity(const core::Json& summary, std::string field) : field_(std::move(field)) {
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
    unit_ = time_unit(longest(summary));
  }
}

std::string SweepQuantity::axis() const {
  return unit_.name.empty() ? name_ : fmt::format("{} [{}]", name_, unit_.name);
}

std::optional<Span> SweepQuantity::bar(const core::Json& entry) const {
  const auto& interval = interval_of(entry);
  if (interval.is_null()) return std::nullopt;
  return Span{interval[0].get<double>() / unit_.seconds, interval[1].get<double>() / unit_.seconds};
}

std::string SweepQuantity::told(const core::Json& entry) const {
  auto text = fmt::format("{} {:.6g}", field_, entry.at(field_).get<double>());
  if (const auto& interval = interval_of(entry); !interval.is_null())
    text += fmt::format(" ({:.6g} to {:.6g})", interval[0].get<double>(), interval[1].get<double>());
  return text;
}

double SweepQuantity::longest(const core::Json& summary) const {
  double longest = 0;
  for (const auto& entry : summary)
    if (is_in(entry)) longest = std::max(longest, entry.at(field_).get<double>());
  return longest;
}

}  // namespace toroid::views
