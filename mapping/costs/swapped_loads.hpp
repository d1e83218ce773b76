#pragma once
// The bytes on each link of the machine, under its real routes.

#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

using platforms::Routing;

/// The key `routing` of a mapper. Unless given, the routers of the machine say it (usual_routing).
extern const core::OptionalParameter<Routing> routing_parameter;

/// How the routers of the machine route.
inline Routing usual_routing(const platforms::Machine& machine) {
  return machine.description().router.routing;
}

/// The routes between the nodes of a machine: its own, or, for adaptive routing, where any shortest way may be taken,
/// half of each message in the machine's order of dimensions and half in the reverse order; with the longest first,
/// either order of those that are as long.
class Routes {
 public:
  /// `machine` must outlive this object.
  Routes(const platforms::Machine& machine, Routing routing);

  const platforms::Machine& machine() const { return machine_; }
  /// The number of routes over which a message is spread in equal parts.
  double ways() const { return (takes_own_ ? 1.0 : 0.0) + static_cast<double>(others_.size()); }

  /// Calls visit(LinkId) for every link of each of these routes; twice for a link that is on both of them.
  template <class Visit>
  void for_each_link(platforms::NodeId from, platforms::NodeId to, Visit&& visit) const {
    if (takes_own_) machine_.for_each_link(from, to, visit);
    for (const auto& other : others_) other.for_each_link(from, to, visit);
  }

 private:
  const platforms::Machine& machine_;
  bool takes_own_ = true;                   ///< the machine's own routes
  std::vector<platforms::Machine> others_;  ///< the machine with each other order of dimensions
};

using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;

/// What every link carries, kept up to date as ranks swap their slots. Every link that messages occupy counts,
/// injection and ejection among them where the machine limits these; messages within a node occupy none. Bytes are
/// exact up to 2^53.
class SwappedLoads {
 public:
  /// A message: all that one rank sends another.
  struct Message {
    Rank from, to;
    double bytes;
    Rank other(Rank end) const { return end == from ? to : from; }
  };
  using MessageId = std::uint32_t;

  struct Change {
    LinkId link;
    double bytes;
  };

  /// The machine of `routes` must outlive this object; `slot_of` is a permutation of the slots (see Assignment).
  SwappedLoads(const TrafficGraph& traffic, Routes routes, std::span<const NodeId> slots, Assignment slot_of);

  const Placement& placement() const { return placement_; }
  core::IdRange<Rank> ranks() const { return messages_of_.ids(); }
  double bytes(LinkId link) const { return bytes_[link]; }
  double seconds(LinkId link) const { return bytes_[link] * seconds_per_byte_[link]; }
  double seconds_per_byte(LinkId link) const { return seconds_per_byte_[link]; }
  auto links() const { return bytes_.ids(); }
  std::size_t link_count() const { return bytes_.size(); }
  /// The seconds that the most loaded link needs for its bytes. Takes O(links).
  double peak() const;
  /// Whether every link carries what its messages make, counted anew.
  bool are_as_recounted() const;

  /// What swapping `a` and `b` would change, with each link once; valid until the next call. It looks at the links of
  /// all messages of the two ranks.
  const std::vector<Change>& changes(Rank a, Rank b);

  /// How much a swap of the two ranks would change the sum over all links of seconds^2.
  double change_of_squares(Rank a, Rank b);

  /// Swaps the two ranks, and returns what that changed.
  const std::vector<Change>& swap(Rank a, Rank b);

  const Message& message(MessageId id) const { return messages_[id]; }
  /// The messages that take a link; one that takes the link on both of its ways stands twice.
  const std::vector<MessageId>& messages_on(LinkId link) const { return messages_on_[link]; }
  /// The messages that a rank sends or receives; a silent rank has none.
  std::span<const MessageId> messages_of(Rank rank) const;
  /// The ranks whose messages occupy the link, in ascending order.
  std::vector<Rank> ranks_across(LinkId link) const;

  /// The number of its ways on which a message would take the link if its ends were on these nodes.
  int crossings(NodeId from, NodeId to, LinkId link);

  /// How many links of messages were looked at so far: the work that was done.
  std::uint64_t visits() const { return visits_; }

 private:
  NodeId node(Rank rank) const { return slots_[placement_.slot(rank)]; }
  void add(const Message& message, double bytes);
  template <class Visit>
  void for_each_message(Rank a, Rank b, Visit&& visit) const;

  Routes routes_;
  core::IdVector<Slot, NodeId> slots_;
  Placement placement_;
  std::vector<Message> messages_;
  core::IdVector<Rank, std::vector<MessageId>> messages_of_;

  core::IdVector<LinkId, double> bytes_, seconds_per_byte_;
  core::IdVector<LinkId, std::vector<MessageId>> messages_on_;

  core::IdVector<LinkId, double> change_;  ///< bytes that the swap that is looked at would change
  core::IdVector<LinkId, char> is_changed_;
  std::vector<Change> changes_;
  std::uint64_t visits_ = 0;
};

}  // namespace toroid::mapping
