#include "views/sweep_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "views/axes.hpp"

namespace toroid::views {
namespace {

using core::Json;

std::string text_of(const Json& entry, const char* key) {
  return entry.at(key).get<std::string>();
}

/// The different values of a key.
std::vector<std::string> all_of(const Json& summary, const char* key) {
  std::vector<std::string> found;
  for (const auto& entry : summary)
    if (const auto text = text_of(entry, key); std::find(found.begin(), found.end(), text) == found.end())
      found.push_back(text);
  return found;
}

/// What all names begin with, up to a `:` or `,` or an end.
std::string shared_start(const std::vector<std::string>& names) {
  auto start = names.at(0);
  const auto is_start_of = [&](const std::string& name) {
    return name.starts_with(start) &&
           (name.size() == start.size() || name[start.size()] == ':' || name[start.size()] == ',');
  };
  while (!start.empty() && !std::all_of(names.begin(), names.end(), is_start_of))
    start.resize(start.find_last_of(":,") == std::string::npos ? 0 : start.find_last_of(":,"));
  return start;
}

/// `a, b`, or, where all begin alike, `log; arrivals=1.2, 1, 0.85`.
std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return core::join(names);
  const auto start = shared_start(names);
  if (start.empty()) return core::join(names);
  std::vector<std::string> rest;
  std::string last_key;
  for (const auto& name : names) {
    auto own = name.size() > start.size() ? name.substr(start.size() + 1) : "as it is";
    const auto key = own.substr(0, own.find('=') + 1);
    const bool is_one_key = !key.empty() && own.find(',') == std::string::npos;
    if (is_one_key && key == last_key) own.erase(0, key.size());
    last_key = is_one_key ? key : "";
    rest.push_back(std::move(own));
  }
  return start + "; " + core::join(rest);
}

/// A field of the summary as it is drawn: with a unit that suits its values.
class Quantity {
 public:
  Quantity(const Json& summary, std::string field) : field_(std::move(field)) {
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

  std::string axis() const { return unit_.name.empty() ? name_ : fmt::format("{} [{}]", name_, unit_.name); }
  bool is_in(const Json& entry) const { return !entry.at(field_).is_null(); }
  double of(const Json& entry) const { return entry.at(field_).get<double>() / unit_.seconds; }
  std::string told(const Json& entry) const {
    auto text = fmt::format("{} {:.6g}", field_, entry.at(field_).get<double>());
    if (const auto& interval = interval_of(entry); !interval.is_null())
      text += fmt::format(" ({:.6g} to {:.6g})", interval[0].get<double>(), interval[1].get<double>());
    return text;
  }
  std::optional<Span> bar(const Json& entry) const {
    const auto& interval = interval_of(entry);
    if (interval.is_null()) return std::nullopt;
    return Span{interval[0].get<double>() / unit_.seconds, interval[1].get<double>() / unit_.seconds};
  }

 private:
  double longest(const Json& summary) const {
    double longest = 0;
    for (const auto& entry : summary)
      if (is_in(entry)) longest = std::max(longest, entry.at(field_).get<double>());
    return longest;
  }
  const Json& interval_of(const Json& entry) const { return entry.at("intervals").at(field_); }

  std::string field_, name_;
  TimeUnit unit_{1, ""};  ///< or another one: a hundredth is a per cent
};

/// Of one summary's line.
std::string name_of(const Json& entry, bool one_map, bool one_scheduler, bool one_platform) {
  auto name = text_of(entry, "alloc");
  if (!one_map) name += ", " + text_of(entry, "map");
  if (!one_scheduler) name += ", " + text_of(entry, "scheduler");
  if (!one_platform) name += ", " + text_of(entry, "platform");
  return name;
}

}  // namespace

LineChart sweep_chart(const Json& sweep, const std::string& x, const std::string& y) {
  const auto& summary = sweep.at("summary");
  const auto platforms = all_of(summary, "platform"), schedulers = all_of(summary, "scheduler");
  const Quantity along_x(summary, x), along_y(summary, y);
  LineChart chart{core::join(platforms) + ", " + core::join(schedulers),
                  listed(all_of(summary, "workload")),
                  along_x.axis(),
                  along_y.axis(),
                  {}};
  // Jobs have a mapper where they have programs.
  const bool one_map = !summary.at(0).contains("map") || all_of(summary, "map").size() == 1;
  bool has_bars = false;
  for (const auto& entry : summary) {
    const auto name = name_of(entry, one_map, schedulers.size() == 1, platforms.size() == 1);
    auto line = std::find_if(chart.lines.begin(), chart.lines.end(), [&](const Line& l) { return l.name == name; });
    if (line == chart.lines.end()) line = chart.lines.insert(line, {name, {}});
    if (!along_x.is_in(entry) || !along_y.is_in(entry)) continue;
    line->points.push_back(
        {along_x.of(entry), along_y.of(entry),
         fmt::format("{}, {}: {}, {}", name, text_of(entry, "workload"), along_x.told(entry), along_y.told(entry)),
         along_x.bar(entry), along_y.bar(entry)});
    has_bars = has_bars || line->points.back().y_bar;
  }
  for (auto& line : chart.lines)
    std::stable_sort(line.points.begin(), line.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  if (has_bars) chart.note = "Bars: 95 % confidence intervals of the means";
  return chart;
}

}  // namespace toroid::views
