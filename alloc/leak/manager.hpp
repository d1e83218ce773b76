#pragma once
// A processor manager: the actor on each node that, with those on the others, decides whom the node serves. It knows
// nothing but its own state and acts when a message comes. It never waits for one message and leaves others lying: of
// several requests under way at once none can block another.

#include <memory>
#include <optional>
#include <vector>

#include "alloc/leak/messages.hpp"

namespace toroid::alloc::leak {

/// What managers need of the outside: the messages, the topology, and the record of free nodes.
class World {
 public:
  virtual ~World() = default;
  virtual void send(Message message) = 0;
  /// Whether a node is free. A manager asks this only of its own node.
  virtual bool is_free(NodeId node) const = 0;
  virtual std::vector<NodeId> neighbours(NodeId node) const = 0;
  /// Hears that a request is decided, at the node where it was made: with its nodes, or with nothing if it gets none.
  virtual void answered(RequestNumber request, std::optional<Nodes> nodes) = 0;
  /// Hears that a node is free again that a request had, or, if `request` is no_request, a job.
  virtual void freed(NodeId node, RequestNumber request) = 0;
};

class Manager {
 public:
  explicit Manager(NodeId node) : node_(node), parent_(node) {}

  /// The request that the manager's node belongs to, granted or under way; no_request if there is none.
  RequestNumber owner() const { return owner_; }

  void receive(Message message, World& world);

 private:
  void on(const Message& message, Search& search, World& world);
  void on(const Message& message, const Question& question, World& world);
  void on(const Message& message, const Reply& reply, World& world);
  void on(const Message& message, const Flow& flow, World& world);
  void on(const Message& message, const Confirmation& confirmation, World& world);
  void on(const Message& message, Answer& answer, World& world);
  void on(const Message& message, const Release& release, World& world);

  void occupy(RequestNumber request, std::int32_t puddle, NodeId parent, World& world);
  void pour(std::int32_t load, World& world);
  void ask_neighbours(World& world);
  void spread(World& world);
  void close(NodeId neighbour);
  void end_of_flow(World& world);
  void end_of_puddle(World& world);
  void pass_on(RequestNumber request, Search search, World& world);
  void take_back(RequestNumber request, const Nodes& nodes, bool in_vain, World& world);
  void send(NodeId to, RequestNumber request, Content content, World& world) const;

  NodeId node_;
  RequestNumber owner_ = no_request;
  RequestNumber tried_ = no_request;  ///< the request that had its node in a puddle that was too small
  std::int32_t puddle_ = 0;
  NodeId parent_;                   ///< node from which the flow came; at the origin the node itself
  std::int32_t remaining_ = 0;      ///< nodes of its load that are not yet found or left to others
  std::int32_t awaited_ = 0;        ///< number of replies or confirmations that are still to come
  bool has_asked_ = false;          ///< whether it has asked its neighbours
  std::vector<NodeId> open_;        ///< neighbours that may still find nodes
  Nodes found_;                     ///< nodes found since its last confirmation, its own and those behind it
  std::unique_ptr<Search> search_;  ///< the search, at the origin of a growing puddle; else null
};

}  // namespace toroid::alloc::leak
