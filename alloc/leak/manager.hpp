#pragma once
// A processor manager: the actor on each node that, with those on the others, decides whom the node serves. It knows
// nothing but its own state and acts when a message comes. It never waits for one message and leaves others lying: of
// several requests under way at once none can block another.

#include <memory>
#include <optional>
#include <vector>

#include "alloc/leak/messages.hpp"

namespace toroid::alloc::leak {

/// What is around the managers.
class World {
 public:
  virtual ~World() = default;
  virtual void send(Message message) = 0;
  /// Whether nobody has the node; a manager asks it of its own.
  virtual bool is_free(NodeId node) const = 0;
  virtual std::vector<NodeId> neighbours(NodeId node) const = 0;
  /// The request is decided, at the node where it was made: its nodes, or that there are none.
  virtual void answered(RequestNumber request, std::optional<Nodes> nodes) = 0;
  /// A node that the request had, or a job if that is no_request, is free again.
  virtual void freed(NodeId node, RequestNumber request) = 0;
};

class Manager {
 public:
  explicit Manager(NodeId node) : node_(node), parent_(node) {}

  /// The request that its node belongs to, granted or under way; no_request if none.
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
  RequestNumber tried_ = no_request;  ///< of what its node was part of a puddle that was too small
  std::int32_t puddle_ = 0;
  NodeId parent_;                   ///< from whom the flow came; itself at the origin
  std::int32_t remaining_ = 0;      ///< of its load, not yet found or given to others
  std::int32_t awaited_ = 0;        ///< replies or confirmations
  bool has_asked_ = false;          ///< its neighbours
  std::vector<NodeId> open_;        ///< neighbours that may still take some
  Nodes found_;                     ///< since its last confirmation, it and those it leads to
  std::unique_ptr<Search> search_;  ///< at the origin of a puddle that grows
};

}  // namespace toroid::alloc::leak
