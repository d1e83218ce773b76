#include "platforms/grid.hpp"

#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace toroid::platforms {

std::string_view to_string(Wrap wrap) {
  switch (wrap) {
    case Wrap::mesh:
      return "mesh";
    case Wrap::torus:
      return "torus";
    case Wrap::ring:
      return "ring";
  }
  return "";
}

std::string dimension_name(std::size_t d) {
  return d < 3 ? std::string(1, "xyz"[d]) : fmt::format("d{}", d);
}

Grid::Grid(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {
  if (dimensions_.empty() || dimensions_.size() > max_dimensions)
    core::fail_input("a grid has 1 to {} dimensions, found {}", max_dimensions, dimensions_.size());
  std::int64_t size = 1;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const auto& dim = dimensions_[d];
    const auto name = dimension_name(d);
    if (dim.extent < 1) core::fail_input("dimension {}: extent {}; expected at least 1", name, dim.extent);
    if (!(dim.bandwidth > 0) || !std::isfinite(dim.bandwidth))
      core::fail_input("dimension {}: bandwidth {} B/s; expected more than 0", name, dim.bandwidth);
    if (!(dim.latency >= 0) || !std::isfinite(dim.latency))
      core::fail_input("dimension {}: latency {} s; expected 0 or more", name, dim.latency);
    strides_.push_back(static_cast<std::int32_t>(size));
    size *= dim.extent;
    if (size * 2 * static_cast<std::int64_t>(max_dimensions + 1) > std::numeric_limits<std::int32_t>::max())
      core::fail_input("the grid is too large: more than {} million routers",
                       std::numeric_limits<std::int32_t>::max() / 2 / (max_dimensions + 1) / 1000000);
  }
  size_ = static_cast<NodeId>(size);
}

Grid::Coordinates Grid::coordinates(NodeId node) const {
  Coordinates result{};
  for (std::size_t d = 0; d < dimensions_.size(); ++d) result[d] = coordinate(node, d);
  return result;
}

NodeId Grid::node_at(const Coordinates& coordinates) const {
  NodeId node = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) node += coordinates[d] * strides_[d];
  return node;
}

bool Grid::link_exists(LinkId link) const {
  const auto d = link_dimension(link);
  const auto& dim = dimensions_[d];
  if (dim.extent == 1) return false;
  if (dim.wrap == Wrap::torus) return true;
  if (dim.wrap == Wrap::ring) return link_is_forward(link);
  const std::int32_t end = link_is_forward(link) ? dim.extent - 1 : 0;
  return coordinate(link_source(link), d) != end;
}

}  // namespace toroid::platforms
