#include "platforms/called_nodes.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platforms/names.hpp"

namespace toroid::platforms {

std::vector<NodeId> nodes_called(const Machine& machine, const NodeNames& names, std::string_view part,
                                 std::string_view what) {
  std::vector<NodeId> nodes;
  for (const auto& set : names.read(part, what)) {
    if (const auto* box = std::get_if<Box>(&set)) {
      const auto begin = nodes.size();
      for (const auto& place : places_in(machine.grid().dimension_count(), *box))
        for (const NodeId node : machine.nodes_on(machine.grid().router_at(place))) nodes.push_back(node);
      std::sort(nodes.begin() + static_cast<std::ptrdiff_t>(begin), nodes.end());
      continue;
    }
    const auto& [first, last] = std::get<NodeRange>(set);
    for (NodeId node = first; node <= last; ++node) {
      if (node < 0 || node.value() >= machine.node_count())
        core::fail_input("{}: node {} does not exist; {} has nodes 0 to {}", what, node, machine.name(),
                         machine.node_count() - 1);
      nodes.push_back(node);
    }
  }
  return nodes;
}

std::vector<NodeId> nodes_called(const Machine& machine, std::string_view part, std::string_view what) {
  return nodes_called(machine, NodeNames(machine.description()), part, what);
}

bool is_node_list(std::string_view text, const std::vector<std::string>& others) {
  constexpr std::string_view digits = "0123456789";
  if (text.starts_with('@')) return true;
  if (text.starts_with('('))
    return text.size() > 1 && (digits.find(text[1]) != std::string_view::npos || text[1] == '*');
  if (text.find_first_of(digits) == (text.starts_with('n') ? 1U : 0U)) return true;
  const auto mark = text.find_first_of(":=[");
  if (mark != std::string_view::npos) return text[mark] != ':';
  const bool is_other = std::find(others.begin(), others.end(), text) != others.end();
  return !is_other && text.find_first_of(digits) != std::string_view::npos && !core::nearest(text, others);
}

}  // namespace toroid::platforms
