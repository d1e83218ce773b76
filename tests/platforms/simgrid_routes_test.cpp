// Our torus against SimGrid's own: the machines that we export, loaded and routed by SimGrid.

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/isolate.hpp"
#include "platforms/machine.hpp"
#include "platforms/xml.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"

namespace toroid::platforms {
namespace {

namespace s4u = simgrid::s4u;

/// The routers of a link called `..._from_A_to_B..._UP` (A to B) or `..._DOWN` (B to A).
std::pair<RouterId, RouterId> ends_of(const std::string& name) {
  const auto number_after = [&](const std::string& word) {
    std::int32_t number = -1;
    const auto at = name.find(word);
    if (at != std::string::npos) std::from_chars(name.data() + at + word.size(), name.data() + name.size(), number);
    return RouterId(number);
  };
  const auto a = number_after("_from_"), b = number_after("_to_");
  return name.ends_with("_UP") ? std::pair(a, b) : std::pair(b, a);
}

/// The first difference between SimGrid's route and ours; empty if there is none.
std::string difference(const Machine& machine, NodeId from, NodeId to) {
  std::vector<s4u::Link*> links;
  double latency = 0;
  s4u::Host::by_name(fmt::format("node-{}", from))
      ->route_to(s4u::Host::by_name(fmt::format("node-{}", to)), links, &latency);
  const auto here = fmt::format("{} from {} to {}: ", machine.name(), from, to);
  if (std::abs(latency - machine.latency(from, to)) > 1e-15)
    return here + fmt::format("latency {} instead of {}", machine.latency(from, to), latency);
  if (from == to) {
    if (links.size() != 1 || links[0]->get_bandwidth() != machine.route_bandwidth(from, to)) return here + "loopback";
    return {};
  }
  std::vector<std::pair<RouterId, RouterId>> theirs, ours;
  for (const auto* link : links) {
    theirs.push_back(ends_of(link->get_name()));
    if (link->get_bandwidth() != machine.route_bandwidth(from, to)) return here + "bandwidth of " + link->get_name();
  }
  const auto& grid = machine.grid();
  machine.for_each_link(from, to,
                        [&](LinkId link) { ours.emplace_back(grid.link_source(link), grid.link_target(link)); });
  if (theirs != ours)
    return here +
           fmt::format("{} hops instead of {}, or others, first {}", ours.size(), theirs.size(), links[0]->get_cname());
  return {};
}

/// Compares all pairs of nodes in a process of its own: SimGrid allows one engine in each.
std::string compare_with_simgrid(const std::string& spec) {
  const auto machine = make_machine(spec);
  const test::Scratch scratch;
  const auto file = scratch.write("platform.xml", export_simgrid_xml(machine));
  return core::run_isolated([&](std::uint64_t&) -> std::string {
    int argc = 1;
    char name[] = "test";
    char* argv[] = {name, nullptr};
    s4u::Engine engine(&argc, argv);
    engine.load_platform(file);
    engine.seal_platform();
    if (engine.get_host_count() != static_cast<std::size_t>(machine.node_count())) return "wrong number of hosts";
    const auto* host = s4u::Host::by_name("node-0");
    if (host->get_speed() != machine.parameters().speed) return "wrong speed";
    if (host->get_core_count() != machine.parameters().cores) return "wrong number of cores";
    for (const NodeId from : machine.nodes())
      for (const NodeId to : machine.nodes())
        if (auto found = difference(machine, from, to); !found.empty()) return found;
    return "alike";
  });
}

TEST_CASE("Routes, latencies and bandwidths are those of SimGrid's torus") {
  for (const std::string shape : {"2", "7", "8", "2x2", "8x8", "5x3", "4x4x4", "6x2x4", "2x3x2x4", "1x6", "4x1x3"}) {
    CAPTURE(shape);
    CHECK(compare_with_simgrid("torus:" + shape + ",bw=1.25GBps,lat=137ns") == "alike");
  }
}

/// What is different in a machine that was written route by route; SimGrid's links are called after ours.
std::string difference_of_routes(const Machine& machine, NodeId from, NodeId to) {
  std::vector<s4u::Link*> links;
  double latency = 0;
  s4u::Host::by_name(fmt::format("node-{}", from))
      ->route_to(s4u::Host::by_name(fmt::format("node-{}", to)), links, &latency);
  const auto here = fmt::format("from {} to {}: ", from, to);
  if (std::abs(latency - machine.latency(from, to)) > 1e-15)
    return here + fmt::format("latency {} instead of {}", machine.latency(from, to), latency);
  std::vector<std::string> theirs, ours;
  for (const auto* link : links)
    if (link->get_name().starts_with("link-")) {
      theirs.push_back(link->get_name());
      const LinkId id(std::stoi(link->get_name().substr(5)));
      if (link->get_bandwidth() != machine.link_bandwidth(id)) return here + "bandwidth of " + link->get_name();
      if (link->get_sharing_policy() != s4u::Link::SharingPolicy::SHARED) return here + "sharing";
    } else if (link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE) {
      return here + link->get_name() + " is shared";
    }
  machine.for_each_link(from, to, [&](LinkId link) { ours.push_back(fmt::format("link-{}", link)); });
  // SimGrid 3.32 turns round the links of each step that it puts together; what a message occupies is the same.
  std::sort(theirs.begin(), theirs.end());
  std::sort(ours.begin(), ours.end());
  return theirs == ours ? "" : here + "links";
}

std::string compare_routes(const Machine& machine) {
  const test::Scratch scratch;
  const auto file = scratch.write("platform.xml", export_simgrid_xml(machine));
  return core::run_isolated([&](std::uint64_t&) -> std::string {
    int argc = 1;
    char name[] = "test";
    char* argv[] = {name, nullptr};
    s4u::Engine engine(&argc, argv);
    engine.load_platform(file);
    engine.seal_platform();
    if (engine.get_host_count() != machine.compute_nodes().size()) return "wrong number of hosts";
    for (const NodeId from : machine.compute_nodes())
      for (const NodeId to : machine.compute_nodes())
        if (auto found = difference_of_routes(machine, from, to); !found.empty()) return found;
    return "alike";
  });
}

TEST_CASE("A machine that is no torus of SimGrid's is exported with its own routes, latencies and bandwidths") {
  for (const std::string spec :
       {"mesh:5x4,bw=2GBps/1GBps,lat=10ns/30ns,base=1us,injection=1GBps", "hpcline", "redstorm-cabinet",
        "tpu-v4-4x4x8-twisted", "mesh:3x3,nodes-per-router=2", "torus:4x4,failed-links=5-6,service-nodes=3"}) {
    CAPTURE(spec);
    CHECK(compare_routes(make_machine(spec)) == "alike");
  }
  core::Random random(81, "export");
  for (int i = 0; i < 30; ++i) {
    const Machine machine(test::random_description(random, 30));
    CAPTURE(xml_text(machine.description()));
    if (machine.node_count() > 1) CHECK(compare_routes(machine) == "alike");
  }
}

TEST_CASE("Exports find their routes round what failed, too, and stay small") {
  for (const std::string spec :
       {"torus:5x4x3,fail-link=(n0-n1 n7>n12),fail-router=r33", "torus:5x4,x.shared=yes,fail-link=0-5",
        "mesh:6x5,nodes=2,injection=1GBps,fail-router=(2,2),absent-nodes=0-3", "ring:5x4,fail-router=r7"}) {
    CAPTURE(spec);
    CHECK(compare_routes(make_machine(spec)) == "alike");
  }
  core::Random random(82, "export");
  int failed = 0;
  for (int i = 0; i < test::tenth_if_sanitized(60); ++i) {
    auto description = test::random_description(random, 30);
    test::add_failures(random, description, 1 + random.below(3));
    try {
      const Machine machine(description);
      CAPTURE(xml_text(machine.description()));
      if (machine.compute_nodes().size() > 1) CHECK(compare_routes(machine) == "alike");
      ++failed;
    } catch (const core::InputError&) {  // cut in two
    }
  }
  CHECK(failed > test::tenth_if_sanitized(15));
  CHECK(export_simgrid_xml(make_machine("torus:8x10x12,bandwidth=1GBps/2GBps/1GBps")).size() < 8'000'000);
}

TEST_CASE("An exported torus has the speed, cores and loopback of the machine") {
  CHECK(compare_with_simgrid("torus:4x3,loopback_bw=3GBps,loopback_lat=11ns,speed=2.5Gf,cores=6") == "alike");
}

}  // namespace
}  // namespace toroid::platforms
