#include "alloc/geometry/shapes.hpp"

#include <algorithm>
#include <limits>

namespace toroid::alloc {

const core::Parameter<bool> rotate_parameter{"rotate", "whether the job's shape may be turned", core::yes_or_no(),
                                             "yes"};

namespace {

/// Tries all sides from dimension d on; the last one is as long as it has to be.
class MostCompact {
 public:
  MostCompact(const platforms::Grid& grid, std::int64_t routers) : grid_(grid), routers_(routers) {
    shape_.fill(0);
    best_ = shape_;
    try_from(0, 1, 0);
  }
  const Shape& shape() const { return best_; }

 private:
  void try_from(std::size_t d, std::int64_t product, std::int64_t sum) {
    const std::int64_t extent = grid_.dimension(d).extent;
    if (d + 1 == grid_.dimension_count()) {
      const std::int64_t side = (routers_ + product - 1) / product;
      if (side > extent) return;
      shape_[d] = static_cast<std::int32_t>(side);
      const auto cost = std::pair(sum + side, product * side);
      if (cost < least_) {
        least_ = cost;
        best_ = shape_;
      }
      return;
    }
    for (std::int32_t side = 1; side <= extent && sum + side < least_.first; ++side) {
      shape_[d] = side;
      try_from(d + 1, product * side, sum + side);
      if (product * side >= routers_) return;
    }
  }

  const platforms::Grid& grid_;
  std::int64_t routers_;
  Shape shape_, best_;
  std::pair<std::int64_t, std::int64_t> least_{std::numeric_limits<std::int64_t>::max(), 0};  ///< sum of sides, volume
};

}  // namespace

std::int64_t volume(const Shape& shape, std::size_t dimensions) {
  std::int64_t product = 1;
  for (std::size_t d = 0; d < dimensions; ++d) product *= shape[d];
  return product;
}

Shape shape_of(const Request& request, const Machine& machine) {
  const std::int32_t per_router = machine.description().nodes_per_router;
  if (request.shape.empty()) return MostCompact(machine.grid(), (request.nodes + per_router - 1) / per_router).shape();
  const std::size_t dimensions = machine.grid().dimension_count();
  if (request.shape.size() > dimensions)
    core::fail_input("job {} asks for a shape of {} dimensions; {} has {}", request.job, request.shape.size(),
                     machine.name(), dimensions);
  Shape shape{};
  std::fill_n(shape.begin(), dimensions, 1);
  std::copy(request.shape.begin(), request.shape.end(), shape.begin());
  shape[0] = (shape[0] + per_router - 1) / per_router;
  return shape;
}

std::vector<Shape> orientations(const Shape& shape, const platforms::Grid& grid) {
  const auto dimensions = static_cast<std::ptrdiff_t>(grid.dimension_count());
  std::vector<Shape> all{shape};
  Shape turned = shape;
  std::stable_sort(turned.begin(), turned.begin() + dimensions);  // std::sort: a false warning of GCC 12 at -O3
  do
    if (turned != shape) all.push_back(turned);
  while (std::next_permutation(turned.begin(), turned.begin() + dimensions));
  std::erase_if(all, [&](const Shape& s) {
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      if (s[d] > grid.dimension(d).extent) return true;
    return false;
  });
  return all;
}

}  // namespace toroid::alloc
