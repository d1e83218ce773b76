#pragma once
// Which nodes of a machine are free: the one record of it that schedulers and allocators share.

#include <cstdint>
#include <span>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::alloc {

using platforms::Machine;
using platforms::NodeId;
using platforms::RouterId;

class FreeNodes;

/// A picture of the free nodes in another form (intervals of a curve, lists of blocks, sums over boxes). It follows a
/// FreeNodes from its birth to its death, and is told of every change once that has been made there, in time in
/// proportion to the change. It begins with what is free when it is made.
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
  /// At first all nodes of the machine that compute are free; the others never are.
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
  /// All that are free, in order.
  std::vector<NodeId> all() const { return lowest(count_); }

  /// Contract: each of the nodes is free and stands once in the list.
  void take(std::span<const NodeId> nodes);
  /// Contract: each of the nodes computes, is not free, and stands once in the list.
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

/// What would be free, as long as it lives: views follow there and back.
class Supposed {
 public:
  explicit Supposed(FreeNodes& free) : free_(free) {}
  ~Supposed();
  Supposed(const Supposed&) = delete;
  Supposed& operator=(const Supposed&) = delete;

  /// Contract: none of the nodes is free.
  void given_back(std::span<const NodeId> nodes);
  /// Those of the nodes that are free.
  void taken(std::span<const NodeId> nodes);

 private:
  FreeNodes& free_;
  std::vector<NodeId> given_back_, taken_;
};

}  // namespace toroid::alloc
