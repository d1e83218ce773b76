#include "alloc/logged_nodes.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "platforms/called_nodes.hpp"

namespace toroid::alloc {

Allocation LoggedNodes::read(std::string_view list, std::int32_t count) const {
  if (list.empty()) core::fail_input("The log does not say which nodes the job had");
  Allocation nodes;
  for (const auto part : platforms::split_host_list(list)) {
    const auto some = platforms::nodes_called(machine_, names_, part, "its nodes in the log");
    nodes.insert(nodes.end(), some.begin(), some.end());
  }
  if (!std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) { return machine_.computes(node); }))
    core::fail_input("Some of the nodes that the job had do not compute");
  if (nodes.size() != static_cast<std::size_t>(count))
    core::fail_input("The log names {} nodes, expected {}", nodes.size(), count);
  auto sorted = nodes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    core::fail_input("The log names a node twice: {}", list);
  return nodes;
}

}  // namespace toroid::alloc
