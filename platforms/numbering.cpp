#include "platforms/numbering.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

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

void check_digits(const Description& m, const Report& error) {
  for (std::size_t d = 0; d < m.dimensions.size(); ++d) {
    std::int64_t places = 1;
    for (const auto& digit : m.numbering)
      if (digit.dimension == d) places *= digit.count;
    if (!m.numbering.empty() && places != m.dimensions[d].extent)
      error("numbering", fmt::format("numbering: counts {} places of dimension {}, which has {}", places,
                                     m.dimensions[d].name, m.dimensions[d].extent));
  }
}

void check_cabling(const Description& m, const Report& error) {
  for (std::size_t d = 0; d < m.dimensions.size() && d < m.cabling.size(); ++d) {
    const auto& cabling = m.cabling[d];
    Cabling places(cabling.size());
    std::iota(places.begin(), places.end(), 0);
    if (!cabling.empty() && (static_cast<std::int64_t>(cabling.size()) != m.dimensions[d].extent ||
                             !std::is_permutation(cabling.begin(), cabling.end(), places.begin())))
      error(m.dimensions[d].name + ".cabling",
            fmt::format("dimension {}: the cabling does not name each place from 0 to {} once", m.dimensions[d].name,
                        m.dimensions[d].extent - 1));
  }
}

}  // namespace

void check_numbering(const Description& m, const Report& error) {
  check_digits(m, error);
  check_cabling(m, error);
}

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
