#pragma once
// The free nodes nearest to a centre by hops, and how far they are from each other.

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "alloc/free_nodes.hpp"

namespace toroid::alloc {

/// The free nodes nearest to a centre. Distances are those of coordinates, also on a one-way ring the shorter way
/// round. Where not all of the farthest nodes are needed, the first ones by their offsets along dimension 0, then 1 and
/// so on are taken.
class Balls final : public FreeView {
 public:
  explicit Balls(FreeNodes& free);

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

  /// Takes the `nodes` free nodes nearest to a router and returns the sum over all pairs of them of the hops there and
  /// back, or any number above `most` if the sum is above that. There must be so many free nodes.
  std::int64_t sum_of_hops_both_ways(RouterId centre, std::int32_t nodes, std::int64_t most);
  /// The `nodes` free nodes nearest to a router, the nearest first.
  std::vector<NodeId> nearest(RouterId centre, std::int32_t nodes);

 private:
  void add(std::span<const NodeId> nodes, std::int32_t count);
  /// Counts the free nodes up to `radius` hops from a centre along each dimension; returns how many there are.
  std::int32_t count_ball(std::size_t d, RouterId router, std::int32_t radius);
  std::int32_t count_line(RouterId line, std::int32_t radius);
  /// Calls visit(router) for the routers at `radius` hops from the centre until it returns false. Returns whether it
  /// never did.
  template <class Visit>
  bool for_each_at(std::size_t d, RouterId router, std::int32_t radius, Visit& visit);
  void set_centre(RouterId centre);
  /// A lower bound of the sum over all pairs of `nodes` nodes, of which the `within` counted ones are part.
  std::int64_t least_sum(std::int32_t within, std::int32_t nodes) const;

  const FreeNodes& free_nodes_;
  const platforms::Grid& grid_;
  std::size_t dimensions_;
  core::IdVector<RouterId, std::int32_t> free_;
  platforms::Coordinates strides_{};
  platforms::Coordinates centre_{}, low_{}, high_{};  ///< low, high: the farthest offsets from the centre
  platforms::Coordinates at_{};                       ///< coordinates of the router that for_each_at() visits
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> counts_;  ///< numbers of nodes, by coordinate
  std::int32_t guess_ = 0;  ///< the radius that was found for the last centre
};

}  // namespace toroid::alloc
