// Routes round links, routers and nodes that failed.

#include <catch2/catch.hpp>
#include <optional>
#include <set>

#include "tests/platforms/graph.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

/// What failed, worked out from the description by definition.
class Failures {
 public:
  explicit Failures(const Machine& machine) : m_(machine.description()), grid_(machine.grid()) {
    const auto router_of = [&](const RouterName& name) {
      if (name.by == RouterName::By::router) return RouterId(name.number);
      return name.by == RouterName::By::node ? machine.router(NodeId(name.number)) : grid_.router_at(name.at);
    };
    for (const auto& name : m_.failed_routers) routers_.insert(router_of(name));
    for (const auto& link : m_.failed_links) {
      pairs_.insert({router_of(link.from), router_of(link.to)});
      if (link.kind == LinkName::Kind::both_ways) pairs_.insert({router_of(link.to), router_of(link.from)});
    }
  }

  bool works(RouterId from, std::size_t d, bool forward) const {
    if (!m_.dimensions[d].shared) return hop_works(from, d, forward);
    RouterId router = from;
    do {  // the whole line
      for (const bool way : {true, false})
        if (RouterGraph::next(m_, router, d, way) >= 0 && !hop_works(router, d, way)) return false;
      router = grid_.neighbour(router, d, true);
    } while (router != from);
    return true;
  }

 private:
  bool hop_works(RouterId from, std::size_t d, bool forward) const {
    const auto to = RouterGraph::next(m_, from, d, forward);
    return pairs_.count({from, to}) + routers_.count(from) + routers_.count(to) == 0;
  }

  const Description& m_;
  const Grid& grid_;
  std::set<RouterId> routers_;
  std::set<std::pair<RouterId, RouterId>> pairs_;
};

/// The hops of a route, as the machine's links say them where no line is shared.
std::vector<LinkId> hops_of(const Machine& machine, NodeId from, NodeId to) {
  std::vector<LinkId> links;
  machine.for_each_link(from, to, [&](LinkId link) {
    if (machine.is_of_grid(link)) links.push_back(link);
  });
  return links;
}

bool has_shared_line(const Description& m) {
  return std::any_of(m.dimensions.begin(), m.dimensions.end(), [](const Dimension& d) { return d.shared; });
}

/// What is wrong with the route between two nodes of different routers; empty if nothing is.
std::string fault_of_route(const Machine& machine, const Failures& failures, NodeId from, NodeId to,
                           std::int32_t distance) {
  const auto& grid = machine.grid();
  const RouterId source = machine.router(from), target = machine.router(to);
  bool order_works = true;
  grid.for_each_hop(source, target, [&](RouterId here, std::size_t d, bool forward) {
    order_works &= failures.works(here, d, forward);
  });
  if (machine.hops(from, to) != (order_works ? grid.hops(source, target) : distance)) return "length";
  if (has_shared_line(machine.description())) return {};  // a link no longer says its hops
  std::vector<LinkId> in_order;
  grid.for_each_link(source, target, [&](LinkId link) { in_order.push_back(link); });
  const auto links = hops_of(machine, from, to);
  if (order_works && links != in_order) return "not in dimension order";
  RouterId here = source;
  double latency = machine.parameters().base_latency;
  for (const LinkId link : links) {
    const auto d = grid.link_dimension(link);
    const bool forward = grid.link_is_forward(link);
    if (grid.link_source(link) != here) return "torn";
    if (!failures.works(here, d, forward) || !machine.link_exists(link)) return "over what failed";
    here = RouterGraph::next(machine.description(), here, d, forward);
    latency += grid.link_latency(link);
  }
  if (here != target) return "does not arrive";
  if (std::abs(machine.latency(from, to) - latency) > 1e-15) return "latency";
  return {};
}

std::optional<Machine> built(const Description& description, std::string& refusal) {
  try {
    return Machine(description);
  } catch (const core::InputError& error) {
    refusal = error.what();
    return {};
  }
}

TEST_CASE("Routes avoid what failed, keep to dimension order where they can, else are as short as any") {
  core::Random random(41, "failures");
  int whole = 0, cut = 0, detours = 0;
  for (int i = 0; i < 600; ++i) {
    auto description = test::random_description(random, 120);
    test::add_failures(random, description, 1 + random.below(5));
    std::string refusal;
    const auto machine = built(description, refusal);
    CAPTURE(i, refusal);
    if (!machine) {
      ++cut;
      const bool is_clear =
          refusal.find("cuts the machine") != std::string::npos || refusal.find("no node is left") != std::string::npos;
      REQUIRE(is_clear);
      continue;
    }
    ++whole;
    const Failures failures(*machine);
    const RouterGraph graph(machine->description(), [&](RouterId from, std::size_t d, bool forward) {
      return failures.works(from, d, forward);
    });
    const auto nodes = machine->compute_nodes();
    const auto from = nodes[random.below(nodes.size())];
    const auto distance = graph.distances(machine->router(from));
    std::string fault;
    for (const auto to : nodes) {
      if (machine->router(to) == machine->router(from)) continue;
      const auto hops = distance[machine->router(to)];
      REQUIRE(hops > 0);
      if (machine->hops(from, to) > machine->grid().hops(machine->router(from), machine->router(to))) ++detours;
      if (fault.empty()) fault = fault_of_route(*machine, failures, from, to, hops);
    }
    REQUIRE(fault == "");
  }
  CHECK(whole > 200);
  CHECK(cut > 20);
  CHECK(detours > 200);
}

std::string refusal_of(const std::string& platform) {
  return test::error_of([&] { make_machine(platform); });
}

TEST_CASE("A machine that was cut in two names two nodes that cannot reach each other") {
  CHECK(refusal_of("mesh:4,failed-links=1-2") ==
        "'mesh:4,failed-links=1-2': what failed cuts the machine: n0 cannot reach n2");
  CHECK(refusal_of("ring:4,failed-links=1>2") ==
        "'ring:4,failed-links=1>2': what failed cuts the machine: n1 cannot reach n0");
  CHECK(refusal_of("mesh:3x3,failed-routers=(1 3)").find("cuts the machine") != std::string::npos);
  CHECK(refusal_of("torus:4,failed-links=1-2").empty());
  // Who is cut off but does not compute is no loss.
  CHECK(refusal_of("mesh:4,failed-links=2-3,failed-nodes=3").empty());
  CHECK(refusal_of("mesh:4,failed-links=2-3,service-nodes=3").empty());
}

TEST_CASE("A one-way cut is told in the direction that is cut") {
  CHECK(refusal_of("mesh:4,failed-links=1>2").find("n0 cannot reach n2") != std::string::npos);
  CHECK(refusal_of("mesh:4,failed-links=2>1").find("n2 cannot reach n0") != std::string::npos);
}

TEST_CASE("A failed node leaves its router") {
  const auto machine = make_machine("mesh:3,failed-nodes=1");
  CHECK(machine.compute_nodes().size() == 2);
  CHECK(machine.hops(0, 2) == 2);
}

TEST_CASE("A failed router takes its links along") {
  const auto machine = make_machine("mesh:3x3,failed-routers=1");
  CHECK(machine.compute_nodes().size() == 8);
  CHECK(machine.hops(0, 2) == 4);
  CHECK_FALSE(machine.link_exists(machine.grid().link(0, 0, true)));
  CHECK_FALSE(machine.link_exists(machine.grid().link(4, 1, false)));
  CHECK(machine.link_exists(machine.grid().link(0, 1, true)));
}

TEST_CASE("A shared line fails as a whole") {
  // The middle line of x: its nodes have to change lines to meet.
  const auto machine = make_machine("mesh:3x3,x.shared=yes,failed-links=(0,1)-(1,1)");
  CHECK_FALSE(machine.link_exists(machine.grid().shared_link(4, 0)));
  CHECK(machine.link_exists(machine.grid().shared_link(0, 0)));
  CHECK(machine.hops(3, 4) == 3);
  CHECK(machine.hops(4, 5) == 3);
  CHECK(machine.hops(3, 5) == 4);
  CHECK(machine.hops(0, 2) == 2);
}

TEST_CASE("A failed router takes the shared lines through it along") {
  const auto machine = make_machine("mesh:3x3,y.shared=yes,failed-routers=3");  // (0,1): of the first line of y
  CHECK_FALSE(machine.link_exists(machine.grid().shared_link(0, 1)));
  CHECK(machine.link_exists(machine.grid().shared_link(1, 1)));
  CHECK(machine.hops(0, 6) == 4);
}

TEST_CASE("Both links between the routers of a torus of two fail together") {
  CHECK(refusal_of("torus:2,failed-links=0-1").find("cuts the machine") != std::string::npos);
  CHECK(make_machine("torus:2x2,failed-links=0-1").hops(0, 1) == 3);
}

TEST_CASE("A link that is not there cannot fail") {
  CHECK(refusal_of("mesh:4,failed-links=0-2") == "'mesh:4,failed-links=0-2': failed-links: no link joins 0 and 2");
}

}  // namespace
}  // namespace toroid::platforms
