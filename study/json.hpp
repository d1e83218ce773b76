#pragma once
// What the JSON of all studies has alike: values that may not be there, confidence intervals, differences.

#include <optional>
#include <utility>

#include "core/json.hpp"
#include "study/statistics/difference.hpp"

namespace toroid::study {

/// The value, or null.
template <class T>
core::Json or_null(const std::optional<T>& value) {
  return value ? core::Json(*value) : core::Json();
}

/// An array of what `make` makes of each.
template <class List, class Make>
core::Json array_of(const List& list, Make make) {
  auto all = core::Json::array();
  for (const auto& one : list) all.push_back(make(one));
  return all;
}

/// [low, high], or null.
inline core::Json interval_json(const std::optional<Interval>& interval) {
  return interval ? core::Json{interval->low, interval->high} : core::Json();
}

/// How two differ: the test, what makes pairs of their runs, how many pairs, a figure of the runs, and the p by itself
/// and corrected; null where nothing was tested or where there are no pairs.
inline core::Json difference_json(const Difference& d, const char* figure, core::Json value) {
  const bool tested = !d.test.empty(), paired = !d.paired_by.empty();
  return {{"test", tested ? core::Json(d.test) : core::Json()},
          {"paired_by", paired ? core::Json(d.paired_by) : core::Json()},
          {"pairs", paired ? core::Json(d.pairs) : core::Json()},
          {figure, std::move(value)},
          {"p", tested ? core::Json(d.p) : core::Json()},
          {"p_holm", tested ? core::Json(d.p_holm) : core::Json()}};
}

}  // namespace toroid::study
