#include "platforms/link_facts.hpp"

#include <fmt/format.h>

namespace toroid::platforms {
namespace {

/// The link between a node and its router.
LinkFacts port_facts(const Machine& machine, LinkId link) {
  const bool is_injection = machine.is_injection(link);
  const auto node = machine.node_of_port(link);
  const auto router = machine.router(node);
  LinkFacts facts{.link = link,
                  .kind = is_injection ? "injection" : "ejection",
                  .from = fmt::format("n{}", node),
                  .to = fmt::format("r{}", router),
                  .from_router = router,
                  .to_router = router};
  if (!is_injection) facts.from.swap(facts.to);
  return facts;
}

LinkFacts grid_link_facts(const Machine& machine, LinkId link) {
  const auto& grid = machine.grid();
  const auto d = grid.link_dimension(link);
  const bool is_line = grid.dimension(d).shared;
  const auto from = grid.link_source(link);
  // The line begins at its first router, so one step back, round the end, is its last.
  const auto to = is_line ? grid.neighbour(from, d, false) : grid.link_target(link);
  return {.link = link,
          .kind = is_line ? "line" : "link",
          .dimension = grid.name(d),
          .direction = is_line                      ? ""
                       : grid.link_is_forward(link) ? "+"
                                                    : "-",
          .from = machine.router_name(from),
          .to = machine.router_name(to),
          .from_router = from,
          .to_router = to,
          .latency = grid.link_latency(link)};
}

}  // namespace

LinkFacts link_facts(const Machine& machine, LinkId link) {
  auto facts = machine.is_of_grid(link) ? grid_link_facts(machine, link) : port_facts(machine, link);
  facts.name = machine.link_name(link);
  facts.bandwidth = machine.link_bandwidth(link);
  facts.works = machine.link_exists(link);
  return facts;
}

}  // namespace toroid::platforms
