#pragma once
// Which nodes of a machine are free: the one record of it that schedulers and allocators share.

#include "platforms/machine.hpp"

namespace toroid::alloc {

using platforms::Machine;
using platforms::NodeId;
using platforms::RouterId;

class FreeNodes;

/// The free nodes in another form (intervals of a curve, lists of blocks, sums over boxes). It begins with the nodes
/// that are free when it is made, and is told of every change right after that was made in the FreeNodes, as long as it
/// lives. Each call takes time in proportion to the change.
class FreeView {
 public:
  explicit FreeView(FreeNodes& free);
  virtual ~FreeView();
  FreeView(const FreeView&) = delete;
  FreeView& operator=(const FreeView&) = delete;

  virtual void taken(std::span<const NodeId> nodes) = 0;
  virtual void given_back(std::span<const NodeId> nodes) = 0;

 private:
  FreeNodes& free_;
};

class FreeNodes {
 public:
  /// At first all compute nodes of the machine are free; other nodes never are.
  explicit FreeNodes(const Machine& machine);
  FreeNodes(const FreeNodes&) = delete;
  FreeNodes& operator=(const FreeNodes&) = delete;

  const Machine& machine() const { return machine_; }
  std::int32_t count() const { return count_; }
  bool is_free(NodeId node) const { return is_free_[node] != 0; }
  /// How many nodes on a router are free.
  std::int32_t free_on(RouterId router) const { return free_on_[router]; }
  /// The `count` free nodes with the lowest numbers, in order; all if there are fewer.
  std::vector<NodeId> lowest(std::int32_t count) const;
  /// All free nodes, in order.
  std::vector<NodeId> all() const { return lowest(count_); }

  /// Marks nodes as not free. Contract: each of them is free and stands once in the list.
  void take(std::span<const NodeId> nodes);
  /// Marks nodes as free. Contract: each of them computes, is not free, and stands once in the list.
  void give_back(std::span<const NodeId> nodes);

 private:
  friend FreeView;
  void set_free(NodeId node, bool free);
  bool is_consistent() const;

  const Machine& machine_;
  std::int32_t count_ = 0;
  core::IdVector<NodeId, char> is_free_;
  core::IdVector<RouterId, std::int32_t> free_on_;
  std::vector<FreeView*> views_;
};

/// Changes which nodes are free, to see what would be then, and undoes it at the end of its life. Views follow the
/// changes both ways.
class Supposed {
 public:
  explicit Supposed(FreeNodes& free) : free_(free) {}
  ~Supposed();
  Supposed(const Supposed&) = delete;
  Supposed& operator=(const Supposed&) = delete;

  /// Marks nodes as free. Contract: none of them is free.
  void given_back(std::span<const NodeId> nodes);
  /// Marks those of the nodes that are free as not free.
  void taken(std::span<const NodeId> nodes);

 private:
  FreeNodes& free_;
  std::vector<NodeId> given_back_, taken_;
};

}  // namespace toroid::alloc
