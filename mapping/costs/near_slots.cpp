#include "mapping/costs/near_slots.hpp"

#include <utility>

namespace toroid::mapping {

using platforms::RouterId;

/// Breadth first over the routers, from each that has slots.
NearSlots::NearSlots(const platforms::Machine& machine, std::span<const platforms::NodeId> slots) {
  const auto& grid = machine.grid();
  const auto router_of = [&](Slot slot) { return machine.router(slots[slot.index()]); };
  core::IdVector<RouterId, std::vector<Slot>> slots_on(grid.size());
  for (const Slot slot : core::ids<Slot>(slots.size())) slots_on[router_of(slot)].push_back(slot);

  constexpr auto none = static_cast<std::size_t>(-1);
  core::IdVector<RouterId, std::size_t> list_of_router(grid.size(), none), seen_for(grid.size(), none);
  for (const Slot slot : core::ids<Slot>(slots.size())) {
    auto& list = list_of_router[router_of(slot)];
    if (list == none) {
      list = near_.size();
      std::vector<Slot> near;
      std::vector<RouterId> level{router_of(slot)}, next;
      seen_for[router_of(slot)] = list;
      std::size_t found = 0;
      for (; !level.empty() && found <= 2 * grid.dimension_count(); std::swap(level, next)) {
        next.clear();
        for (const auto router : level) {
          const auto& here = slots_on[router];
          near.insert(near.end(), here.begin(), here.end());
          found += here.empty() ? 0 : 1;
          for (std::size_t d = 0; d < grid.dimension_count(); ++d)
            for (const bool forward : {true, false}) {
              const auto beside = grid.neighbour(router, d, forward);
              const bool linked =
                  grid.link_exists(grid.link(router, d, forward)) || grid.link_exists(grid.link(beside, d, !forward));
              if (linked && std::exchange(seen_for[beside], list) != list) next.push_back(beside);
            }
        }
      }
      near_.push_back(std::move(near));
    }
    list_of_.add(list);
  }
}

}  // namespace toroid::mapping
