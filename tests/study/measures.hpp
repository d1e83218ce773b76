#pragma once
// Measures with some of their metrics told by name.

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "toroid/core/assert.hpp"
#include "toroid/study/rows.hpp"

namespace toroid::test {

/// The value of the proxy of that name, which must be one of netsim::proxies().
inline netsim::MetricValue& proxy(study::Measures& measures, std::string_view name) {
  const auto found = std::ranges::find(netsim::proxies(), name, &netsim::Metric::name);
  TOROID_ASSERT(found != netsim::proxies().end());
  return measures.proxies[static_cast<std::size_t>(found - netsim::proxies().begin())];
}

inline study::Measures measures(double runtime,
                                const std::vector<std::pair<std::string_view, netsim::MetricValue>>& proxies) {
  study::Measures made{.runtime = runtime};
  for (const auto& [name, value] : proxies) proxy(made, name) = value;
  return made;
}

}  // namespace toroid::test
