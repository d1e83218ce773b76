#include "netsim/packet/ways.hpp"

#include <algorithm>

namespace toroid::netsim::packet {

std::int32_t Ways::find(std::uint32_t from, std::uint32_t to) {
  const auto [entry, is_new] = found_.try_emplace(std::uint64_t{from} << 32U | to);
  if (is_new) entry->second = from == to ? in_order : lay(RouterId(from), RouterId(to));
  return entry->second;
}

std::int32_t Ways::lay(RouterId from, RouterId to) {
  const auto& grid = machine_.grid();
  std::vector<LinkId> links, ordered;
  machine_.for_each_link(machine_.first_node(from), machine_.first_node(to), [&](LinkId link) {
    if (machine_.is_of_grid(link)) links.push_back(link);
  });
  grid.for_each_link(from, to, [&](LinkId link) { ordered.push_back(link); });
  if (links == ordered) return in_order;
  const auto part = parts(links);
  if (links.empty() || part.back() >= most_parts) return blocked;
  const auto first = static_cast<std::int32_t>(hops_.size());
  for (std::size_t i = 0; i < links.size(); ++i)
    hops_.push_back({Layout::port_of(grid.link_dimension(links[i]), grid.link_is_forward(links[i])), 2 + 2 * part[i]});
  // Within a part a packet is of the second class until it has gone over the end of a ring.
  bool goes_over = false;  // later in this run along a dimension
  for (std::size_t i = links.size(); i-- > 0;) {
    auto& hop = hops_[static_cast<std::size_t>(first) + i];
    if (i + 1 < links.size() && hops_[static_cast<std::size_t>(first) + i + 1].port != hop.port) goes_over = false;
    goes_over = goes_over || layout_.crosses(static_cast<std::uint32_t>(grid.link_source(links[i]).value()), hop.port);
    if (goes_over && wraps(hop)) ++hop.which;
  }
  hops_.push_back({Layout::nowhere, 0});
  return first;
}

/// The part of each hop. A new one begins where a way goes back to an earlier dimension or turns round in one.
std::vector<unsigned> Ways::parts(const std::vector<LinkId>& links) const {
  const auto& grid = machine_.grid();
  const auto place = [&](LinkId link) {
    return std::find(grid.order().begin(), grid.order().end(), grid.link_dimension(link)) - grid.order().begin();
  };
  std::vector<unsigned> all;
  unsigned part = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool same = i > 0 && place(links[i]) == place(links[i - 1]);
    if (i > 0 && (place(links[i]) < place(links[i - 1]) ||
                  (same && grid.link_is_forward(links[i]) != grid.link_is_forward(links[i - 1]))))
      ++part;
    all.push_back(part);
  }
  return all;
}

bool Ways::wraps(const Hop& hop) const {
  return machine_.grid().dimension(hop.port / 2).wrap != platforms::Wrap::mesh;
}

}  // namespace toroid::netsim::packet
