#pragma once
// The nodes that jobs had in their log.

#include "platforms/names.hpp"
#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc {

/// The nodes that jobs had in their log, on a machine whose nodes may have the same names.
class LoggedNodes {
 public:
  /// The machine must outlive this.
  explicit LoggedNodes(const Machine& machine) : machine_(machine), names_(machine.description()) {}

  /// Reads a list of nodes as a log has it, `nid[001-032]`, in its order. Throws InputError unless the list names
  /// `count` different compute nodes of the machine.
  Allocation read(std::string_view list, std::int32_t count) const;

 private:
  const Machine& machine_;
  platforms::NodeNames names_;
};

}  // namespace toroid::alloc
