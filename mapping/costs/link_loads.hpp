#pragma once
// The bytes on each link of the machine, under its real routes.

#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

using platforms::LinkId;

/// How loaded the most loaded links are. Compared in this order: the seconds that the most loaded link needs for its
/// bytes; how many links need as long; the sum of the squares of the seconds of all links. The first alone is what one
/// wants low, but seldom does one swap lower it: the others lead there, by taking load off one of several such links,
/// and by spreading load where there is much of it.
struct Peak {
  double seconds = 0;
  std::int64_t links = 0;
  double squares = 0;

  /// Sums of squares that differ by rounding only count as the same.
  bool better_than(const Peak& other) const;
};

/// Every link that messages occupy counts, injection and ejection among them where the machine limits these; messages
/// within a node occupy none. Bytes are exact up to 2^53.
class LinkLoads {
 public:
  /// `machine` must outlive this object; `slot_of` is a permutation of the slots (see Assignment).
  LinkLoads(const TrafficGraph& traffic, const Machine& machine, std::span<const NodeId> slots, Assignment slot_of);

  const Placement& placement() const { return placement_; }
  core::IdRange<Rank> ranks() const { return edges_of_.ids(); }
  double bytes(LinkId link) const { return bytes_[link]; }
  Peak peak() const;

  /// The peak if ranks `a` and `b` swapped their slots. Takes the links of all messages of the two.
  Peak peak_after(Rank a, Rank b);

  /// By how much Peak::squares would change. Quicker than peak_after.
  double change_of_squares(Rank a, Rank b);

  /// Swaps them; log(links) for each link of their messages.
  void swap(Rank a, Rank b);

  /// The links that need longest, by number.
  std::vector<LinkId> most_loaded() const;

  /// The ranks whose messages occupy the link, ascending. Takes the links of all messages.
  std::vector<Rank> ranks_across(LinkId link) const;

  /// Those with whom a rank exchanges; one that it both sends to and receives from stands twice.
  std::vector<Rank> partners(Rank rank) const;

 private:
  struct Edge {
    Rank from, to;
    double bytes;
  };
  using Load = std::pair<double, LinkId>;  ///< seconds

  NodeId node(Rank rank) const { return slots_[placement_.slot(rank)]; }
  double seconds(LinkId link, double bytes) const { return bytes / machine_.link_bandwidth(link); }
  void add(const Edge& edge, double sign);
  void collect_changes(Rank a, Rank b);
  void forget_changes();
  double sum_of_changed_squares() const;

  const Machine& machine_;
  core::IdVector<Slot, NodeId> slots_;
  Placement placement_;
  std::vector<Edge> edges_;
  core::IdVector<Rank, std::vector<std::size_t>> edges_of_;  ///< those that it sends or receives on

  core::IdVector<LinkId, double> bytes_;
  std::set<Load, std::greater<>> by_load_;  ///< links with bytes, most loaded first
  double squares_ = 0;

  core::IdVector<LinkId, double> change_;  ///< of the bytes, by the swap that is looked at
  core::IdVector<LinkId, char> is_changed_;
  std::vector<LinkId> changed_;
};

}  // namespace toroid::mapping
