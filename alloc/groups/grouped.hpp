#pragma once
// Allocators that narrow the choice of another one: they say in which groups of nodes a job is placed, and that one,
// which sees nothing but a group at a time, which nodes of it.

#include <memory>
#include <vector>

#include "alloc/allocators.hpp"

namespace toroid::alloc {

/// The key `base`, the allocator whose choice is narrowed.
extern const core::Parameter<MakeLocal> base_parameter;

class GroupedAllocator : public LocalAllocator {
 public:
  /// The arguments must have base_parameter.
  GroupedAllocator(const Site& site, const core::Arguments& arguments);

  bool uses_seed() const final { return base_->uses_seed(); }
  bool counting_suffices() const final { return base_->counting_suffices(); }

 protected:
  using Group = std::vector<NodeId>;

 private:
  /// Disjoint groups of free nodes, none empty, in the order in which a job uses them: it takes all nodes of each group
  /// before the last one that it needs.
  virtual std::vector<Group> groups(const Request& request) = 0;

  std::optional<Allocation> find(const Request& request) final;
  std::optional<Allocation> choose_among(const Group& group, const Request& request);

  FreeNodes seen_;  ///< the free nodes that the base sees: none except within choose_among()
  std::unique_ptr<LocalAllocator> base_;
};

}  // namespace toroid::alloc
