#include "alloc/slurm/anchors.hpp"

#include <numeric>

namespace toroid::alloc {
namespace {

/// Steps from one box of a placement to the next. In the file 0 stands for boxes side by side.
Placement::Extents spacing_of(const Placement& placement) {
  auto spacing = placement.spacing;
  for (std::size_t d = 0; d < spacing.size(); ++d)
    if (spacing[d] == 0) spacing[d] = placement.dims[d];
  return spacing;
}

std::vector<std::int32_t> positions(std::int32_t seed, std::int32_t spacing, std::int32_t extent) {
  std::vector<std::int32_t> all;
  auto at = seed;
  do {
    all.push_back(at);
    at = (at + spacing) % extent;
  } while (at != seed);
  return all;
}

/// Whether arcs from `a` and from `b` on share a place of a circle.
bool arcs_meet(std::int32_t a, std::int32_t length_a, std::int32_t b, std::int32_t length_b, std::int32_t extent) {
  return (b - a + extent) % extent < length_a || (a - b + extent) % extent < length_b;
}

void find_overlaps(AnchorAxis& axis, const AnchorAxis& next, std::int32_t extent) {
  for (const auto at : axis.at) {
    auto& all = axis.overlaps.emplace_back();
    for (std::size_t j = 0; j < next.at.size(); ++j)
      if (arcs_meet(at, axis.length, next.at[j], next.length, extent)) all.push_back(static_cast<std::int32_t>(j));
  }
}

bool overlaps_itself(const Placement& placement, const Placement::Extents& extents) {
  const auto spacing = spacing_of(placement);
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (std::gcd(spacing[d], extents[d]) < placement.dims[d]) return true;
  return false;
}

/// Slurm looks at the grids of two placements as if they went on for ever: there all distances between an anchor of
/// the one and an anchor of the other are the distance of the seeds plus multiples of the spacings' common divisor.
bool grids_meet(const Placement& a, const Placement& b) {
  const auto spacing_a = spacing_of(a), spacing_b = spacing_of(b);
  for (std::size_t d = 0; d < a.dims.size(); ++d) {
    const auto step = std::gcd(spacing_a[d], spacing_b[d]);
    const auto distance = ((b.seed[d] - a.seed[d]) % step + step) % step;
    if (distance >= a.dims[d] && step - distance >= b.dims[d]) return false;
  }
  return true;
}

}  // namespace

Box Anchors::box(std::int32_t anchor, std::int32_t torus) const {
  Box box;
  for (std::size_t d = axes.size(); d-- > 0;) {
    const auto count = static_cast<std::int32_t>(axes[d].at.size());
    box.first[d] = axes[d].at[static_cast<std::size_t>(anchor % count)];
    box.length[d] = axes[d].length;
    anchor /= count;
  }
  box.first[axes.size()] = torus;
  box.length[axes.size()] = 1;
  return box;
}

std::vector<Anchors> anchors_of(std::vector<Placement> placements, const Placement::Extents& extents) {
  std::ranges::stable_sort(placements, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<Anchors> all;
  for (const auto& placement : placements) {
    auto& anchors = all.emplace_back();
    const auto spacing = spacing_of(placement);
    anchors.size = placement.size();
    for (std::size_t d = 0; d < extents.size(); ++d)
      anchors.axes[d] = {placement.dims[d], positions(placement.seed[d], spacing[d], extents[d]), {}};
    anchors.may_overlap = overlaps_itself(placement, extents);
    for (const auto& other : placements)
      if (&other != &placement && other.size() == placement.size() && grids_meet(placement, other))
        anchors.may_overlap = true;
  }
  for (std::size_t p = 0; p < all.size(); ++p)
    if (const auto next = next_larger(all, p); next < all.size())
      for (std::size_t d = 0; d < extents.size(); ++d) find_overlaps(all[p].axes[d], all[next].axes[d], extents[d]);
  return all;
}

std::size_t next_larger(const std::vector<Anchors>& placements, std::size_t placement) {
  const auto size = placements[placement].size;
  while (placement < placements.size() && placements[placement].size == size) ++placement;
  return placement;
}

}  // namespace toroid::alloc
