#include "alloc/centres/shells.hpp"

#include <algorithm>

namespace toroid::alloc {

using platforms::Coordinates;
using platforms::Wrap;

std::int32_t offset_from_range(const platforms::Dimension& dimension, std::int32_t first, std::int32_t length,
                               std::int32_t coordinate) {
  std::int32_t ahead = coordinate - first;
  if (dimension.wrap == Wrap::mesh) return ahead < 0 ? ahead : std::max(0, ahead - length + 1);
  if (ahead < 0) ahead += dimension.extent;
  if (ahead < length) return 0;
  const std::int32_t up = ahead - length + 1, down = dimension.extent - ahead;
  return up <= down ? up : -down;
}

namespace {

/// Goes through the routers in reach in the order of their offsets, the last dimension the fastest.
class Search {
 public:
  Search(const FreeNodes& free, const Box& box, std::int32_t radius)
      : free_(free), grid_(free.machine().grid()), last_(grid_.dimension_count() - 1) {
    std::int32_t stride = 1;
    for (std::size_t d = 0; d <= last_; ++d) {
      for (std::int32_t c = 0; c < grid_.dimension(d).extent; ++c) {
        const std::int32_t offset = offset_from_range(grid_.dimension(d), box.first[d], box.length[d], c);
        if (std::abs(offset) <= radius) reach_[d].push_back({offset, c * stride});
      }
      std::sort(reach_[d].begin(), reach_[d].end());
      stride *= grid_.dimension(d).extent;
    }
    search(0, RouterId(0), 0);
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.key < b.key; });
  }

  std::vector<NodeId> nodes() const {
    std::vector<NodeId> all;
    all.reserve(found_.size());
    for (const auto& found : found_) all.push_back(found.node);
    return all;
  }

 private:
  static constexpr int shell_bit = 32;
  struct Reached {
    std::int32_t offset;
    std::int32_t step;  ///< what the coordinate adds to the router's number
    auto operator<=>(const Reached&) const = default;
  };
  struct Found {
    std::uint64_t key;  ///< shell, dimensions along which it is at the shell's distance, those one by one
    NodeId node;
  };

  void search(std::size_t d, RouterId router, std::int32_t shell) {
    for (const auto& [offset, step] : reach_[d]) {
      offsets_[d] = offset;
      const std::int32_t farthest = std::max(shell, std::abs(offset));
      if (d < last_)
        search(d + 1, router + step, farthest);
      else if (free_.free_on(router + step) > 0)
        add(router + step, farthest);
    }
  }

  void add(RouterId router, std::int32_t shell) {
    std::uint64_t ends = 0, extremes = 0;  // per dimension 0 below the shell's inside, 1 inside, 2 above it
    for (std::size_t d = 0; d <= last_; ++d) {
      const bool is_extreme = shell > 0 && std::abs(offsets_[d]) == shell;
      extremes += is_extreme ? 1 : 0;
      ends = 3 * ends + (!is_extreme ? 1 : offsets_[d] < 0 ? 0 : 2);
    }
    const std::uint64_t key = static_cast<std::uint64_t>(shell) << shell_bit | extremes << 16 | ends;
    const NodeId first = free_.machine().first_node(router);
    for (std::int32_t i = 0; i < free_.machine().description().nodes_per_router; ++i)
      if (free_.is_free(first + i)) found_.push_back({key, first + i});
  }

  const FreeNodes& free_;
  const platforms::Grid& grid_;
  std::size_t last_;
  std::array<std::vector<Reached>, platforms::max_dimensions> reach_;
  Coordinates offsets_{};
  std::vector<Found> found_;
};

}  // namespace

std::vector<NodeId> free_in_shells(const FreeNodes& free, const Box& box, std::int32_t radius) {
  return Search(free, box, radius).nodes();
}

}  // namespace toroid::alloc
