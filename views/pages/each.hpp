#pragma once
// Columns of what a range has.

#include <functional>
#include <type_traits>
#include <vector>

namespace toroid::views {

/// What `of` says of each, in their order.
template <class Range, class Of>
auto each(const Range& range, Of of) {
  std::vector<std::decay_t<std::invoke_result_t<Of, decltype(*std::begin(range))>>> column;
  for (const auto& one : range) column.push_back(std::invoke(of, one));
  return column;
}

}  // namespace toroid::views
