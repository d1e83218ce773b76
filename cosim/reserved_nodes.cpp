#include "cosim/reserved_nodes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace toroid::cosim {

using netsim::Time;
using platforms::NodeId;

ReservedNodes::ReservedNodes(const std::vector<PlannedOutage>& reservations) {
  auto by_begin = reservations;
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
  std::map<NodeId, Span> open;
  std::map<std::pair<double, double>, std::vector<NodeId>> parts;
  const auto close = [&](NodeId node, const Span& span) { parts[{span.begin, span.end}].push_back(node); };
  for (const auto& [span, nodes] : by_begin)
    for (const NodeId node : nodes) {
      const auto [known, is_new] = open.try_emplace(node, span);
      if (is_new) continue;
      auto& before = known->second;
      if (before.end < span.begin) {
        close(node, before);
        before = span;
      } else {
        before.end = std::max(before.end, span.end);
      }
    }
  for (const auto& [node, span] : open) close(node, span);
  for (auto& [span, nodes] : parts) {
    std::sort(nodes.begin(), nodes.end());
    parts_.push_back({time_of(span.first), time_of(span.second), std::move(nodes)});
  }
}

std::vector<NodeId> ReservedNodes::within(const Time& from, const Time& duration) const {
  std::vector<NodeId> nodes;
  for (const auto& part : parts_) {
    if (from < part.from && !(part.from < from + duration)) break;
    if (from < part.until) nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Time ReservedNodes::next_beginning(std::span<const NodeId> nodes, const Time& now) const {
  for (const auto& part : parts_)
    if (now < part.from && std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
          return std::binary_search(part.nodes.begin(), part.nodes.end(), node);
        }))
      return part.from;
  return Time::never();
}

Time ReservedNodes::next_end(const Time& now) const {
  Time next = Time::never();
  for (const auto& part : parts_)
    if (now < part.until && part.until < time_of(never_s)) next = std::min(next, part.until);
  return next;
}

}  // namespace toroid::cosim
