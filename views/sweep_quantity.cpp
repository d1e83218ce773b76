#include "views/sweep_quantity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toroid::views {

SweepQuantity::SweepQuantity(const SweptContenders& contenders, std::string_view name)
    : metric_(cosim::schedule_metric(name)) {
  if (metric_.type == "share") unit_ = {0.01, "%"};
  if (metric_.type == "seconds") unit_ = time_unit(longest(contenders));
}

std::string SweepQuantity::axis() const {
  return unit_.name.empty() ? std::string(metric_.in_words) : fmt::format("{} [{}]", metric_.in_words, unit_.name);
}

std::optional<Span> SweepQuantity::bar(const SweptContender& one) const {
  const auto& interval = mean_of(one).interval;
  if (!interval) return std::nullopt;
  return Span{interval->low / unit_.seconds, interval->high / unit_.seconds};
}

std::string SweepQuantity::told(const SweptContender& one) const {
  const auto& mean = mean_of(one);
  auto text = fmt::format("{} {:.6g}", metric_.name, mean.value);
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
