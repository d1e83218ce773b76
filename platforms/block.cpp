#include "platforms/block.hpp"

#include <algorithm>

namespace toroid::platforms {

std::optional<Block> block_of(const Machine& machine, std::span<const NodeId> nodes) {
  const auto& grid = machine.grid();
  Block block;
  std::vector<std::size_t> places(nodes.size(), 0);
  std::size_t size = 1;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const auto at = [&](std::size_t i) { return grid.coordinate(machine.router(nodes[i]), d); };
    std::vector<std::int32_t> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) all.push_back(at(i));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      places[i] += size * static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), at(i)) - all.begin());
    block.extents.push_back(static_cast<std::int32_t>(all.size()));
    size *= all.size();
    if (size > nodes.size()) return std::nullopt;
  }
  if (size != nodes.size()) return std::nullopt;
  block.node_at.assign(size, size);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto& node = block.node_at[places[i]];
    if (node != size) return std::nullopt;
    node = i;
  }
  return block;
}

}  // namespace toroid::platforms
