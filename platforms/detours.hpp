#pragma once
// Routes round what failed.

#include <memory>

#include "toroid/platforms/grid.hpp"

namespace toroid::platforms {

/// The failed links and routers of a machine, and the shortest ways round them. Dimension-order routes that meet no
/// failure stay as they are; any other goes the way with the fewest hops, of those the first that breadth-first search
/// finds when it tries the dimensions in routing order, forward first. Safe to ask from several threads.
class Detours {
 public:
  /// All links from and to a failed router fail, too, and the whole line with a link of a shared line. So a line works
  /// as a whole or not at all, and no way round leaves a line and comes back to it.
  Detours(const Grid& grid, const std::vector<LinkId>& failed_links, const std::vector<RouterId>& failed_routers);
  ~Detours();

  bool router_works(RouterId router) const { return router_works_[router] != 0; }
  bool link_works(LinkId link) const { return works_[link] != 0; }

  /// The links of the way round, one per hop; null where the dimension-order route works. `grid` is that of the
  /// constructor, or a copy. There are no links if no way leads there, as from a router without nodes that is cut off.
  const std::vector<LinkId>* find(const Grid& grid, RouterId from, RouterId to) const;

  /// Two of `routers` of which the first cannot reach the second; the same router twice when all can reach each other.
  std::pair<RouterId, RouterId> find_cut(const Grid& grid, const std::vector<RouterId>& routers) const;

 private:
  struct Search;
  void fail_hop(const Grid& grid, RouterId from, std::size_t d, bool forward);
  void fail_router(const Grid& grid, RouterId router);
  std::vector<LinkId> shortest(const Grid& grid, RouterId from, RouterId to) const;

  core::IdVector<LinkId, char> works_;  ///< whether each hop works, by its link, also where no such link exists
  core::IdVector<RouterId, char> router_works_;
  std::unique_ptr<Search> search_;  ///< the graph of what works, and the ways found so far
};

}  // namespace toroid::platforms
