#include "platforms/numbering.hpp"

#include <algorithm>
#include <numeric>

namespace toroid::platforms {
namespace {

/// The coordinate of each place along a dimension.
std::vector<std::int32_t> coordinates_of_places(const Cabling& cabling, std::int32_t extent) {
  std::vector<std::int32_t> coordinate(static_cast<std::size_t>(extent));
  std::iota(coordinate.begin(), coordinate.end(), 0);
  for (std::size_t c = 0; c < cabling.size(); ++c)
    coordinate[static_cast<std::size_t>(cabling[c])] = static_cast<std::int32_t>(c);
  return coordinate;
}

}  // namespace

std::vector<RouterId> numbered_routers(const Description& m, const Grid& grid) {
  std::vector<RouterId> routers(grid.routers().begin(), grid.routers().end());
  const bool is_straight = std::all_of(m.cabling.begin(), m.cabling.end(), [](const Cabling& c) { return c.empty(); });
  if (m.numbering.empty() && is_straight) return routers;
  auto digits = m.numbering;
  std::vector<std::vector<std::int32_t>> coordinate;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const std::int32_t extent = grid.dimension(d).extent;
    if (m.numbering.empty()) digits.push_back({d, extent});
    coordinate.push_back(coordinates_of_places(d < m.cabling.size() ? m.cabling[d] : Cabling{}, extent));
  }
  std::erase_if(digits, [](const NumberingDigit& digit) { return digit.count == 1; });
  for (auto& router : routers) {
    Coordinates place{}, weight{};
    weight.fill(1);
    std::int32_t rest = router.value();  // so far its number
    for (const auto& [d, count] : digits) {
      place[d] += rest % count * weight[d];
      weight[d] *= count;
      rest /= count;
    }
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      place[d] = coordinate[d][static_cast<std::size_t>(place[d])];
    router = grid.router_at(place);
  }
  return routers;
}

}  // namespace toroid::platforms
