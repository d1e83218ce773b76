#pragma once
// Nodes as runs of consecutive numbers.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::cosim {

/// Calls visit(first, count) for each run of consecutive numbers among `nodes`, in their order. No node is there twice.
template <class Visit>
void for_each_run(std::span<const platforms::NodeId> nodes, Visit visit) {
  std::vector<platforms::NodeId> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    for (end = begin + 1; end < sorted.size() && sorted[end] == sorted[end - 1] + 1;) ++end;
    visit(sorted[begin], end - begin);
  }
}

}  // namespace toroid::cosim
