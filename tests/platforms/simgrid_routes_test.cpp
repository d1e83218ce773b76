// Our torus against SimGrid's own: the machines that we export, loaded and routed by SimGrid.

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>

#include "core/isolate.hpp"
#include "platforms/xml.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/text.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"

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
  const auto host = [&](NodeId node) {
    const auto& names = machine.description().node_names;
    return s4u::Host::by_name(names.empty() ? fmt::format("node-{}", node) : names[node.index()]);
  };
  std::vector<s4u::Link*> links;
  double latency = 0;
  host(from)->route_to(host(to), links, &latency);
  const auto here = fmt::format("{} from {} to {}: ", machine.name(), from, to);
  if (std::abs(latency - machine.latency(from, to)) > 1e-15)
    return here + fmt::format("latency {} instead of {}", machine.latency(from, to), latency);
  if (from == to) {
    if (links.empty()) return {};  // no link for it: SimGrid takes its own, of which routes know nothing
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
std::string compare_with_file(const Machine& machine, const std::string& file) {
  return core::run_isolated([&](std::uint64_t&) -> std::string {
    int argc = 1;
    char name[] = "test";
    char* argv[] = {name, nullptr};
    s4u::Engine engine(&argc, argv);
    engine.load_platform(file);
    engine.seal_platform();
    if (engine.get_host_count() != static_cast<std::size_t>(machine.node_count())) return "wrong number of hosts";
    const auto& names = machine.description().node_names;
    const auto* host = s4u::Host::by_name(names.empty() ? "node-0" : names[0]);
    if (host->get_speed() != machine.parameters().speed) return "wrong speed";
    if (host->get_core_count() != machine.parameters().cores) return "wrong number of cores";
    for (const NodeId from : machine.nodes())
      for (const NodeId to : machine.nodes())
        if (auto found = difference(machine, from, to); !found.empty()) return found;
    return "alike";
  });
}

std::string compare_with_simgrid(const std::string& spec) {
  const auto machine = make_machine(spec);
  const test::Scratch scratch;
  return compare_with_file(machine, scratch.write("platform.xml", export_simgrid_xml(machine)));
}

std::string platform_with(const std::string& inside) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         inside + "</platform>\n";
}

TEST_CASE("A TORUS cluster of SimGrid's is read as the machine that SimGrid makes of it") {
  for (const std::string shape : {"8", "4,3", "3,4,5", "2,2,2,2"}) {
    int count = 1;
    for (const auto extent : core::split(shape, ',')) count *= std::stoi(std::string(extent));
    const test::Scratch scratch;
    const auto file = scratch.write(
        "p.xml",
        platform_with(fmt::format(
            "<zone id=\"world\" routing=\"Full\"><cluster id=\"bob\" topology=\"TORUS\" topo_parameters=\"{}\" "
            "prefix=\"bob\" suffix=\".hamburger.edu\" radical=\"0-{}\" speed=\"2Gf,1Gf\" core=\"4\" "
            "bw=\"10Gbps\" lat=\"750ns\" loopback_bw=\"3GBps\" loopback_lat=\"40ns\"/></zone>\n",
            shape, count - 1)));
    CAPTURE(shape);
    const auto machine = make_machine(file);
    CHECK(machine.name() == "bob");
    CHECK(machine.description().node_names.back() == fmt::format("bob{}.hamburger.edu", count - 1));
    CHECK(compare_with_file(machine, file) == "alike");
  }
}

TEST_CASE("A flat cluster is no grid, and equal to the machine that the message names") {
  const test::Scratch scratch;
  const auto file =
      scratch.write("p.xml", platform_with("<cluster id=\"c\" prefix=\"node-\" suffix=\"\" radical=\"0-6\" "
                                           "speed=\"3Gf\" core=\"2\" bw=\"125MBps\" lat=\"50us\"/>\n"));
  const auto error = test::error_of([&] { make_machine(file); });
  CHECK_THAT(error, Catch::Contains(":4:2: found a cluster whose hosts are joined by one switch, expected a grid"));
  const auto begin = error.find("mesh:1,"), end = error.find(" is equal to it");
  REQUIRE((begin != std::string::npos && end != std::string::npos));
  const auto machine = make_machine(error.substr(begin, end - begin));
  CHECK(core::run_isolated([&](std::uint64_t&) -> std::string {
          int argc = 1;
          char name[] = "test";
          char* argv[] = {name, nullptr};
          s4u::Engine engine(&argc, argv);
          engine.load_platform(file);
          engine.seal_platform();
          if (engine.get_host_count() != static_cast<std::size_t>(machine.node_count())) return "hosts";
          for (const NodeId from : machine.nodes())
            for (const NodeId to : machine.nodes()) {
              if (from == to) continue;
              std::vector<s4u::Link*> links;
              double latency = 0;
              s4u::Host::by_name(fmt::format("node-{}", from))
                  ->route_to(s4u::Host::by_name(fmt::format("node-{}", to)), links, &latency);
              std::size_t ours = 0;
              machine.for_each_link(from, to, [&](LinkId) { ++ours; });
              if (std::abs(latency - machine.latency(from, to)) > 1e-15) return "latency";
              if (links.size() != 2 || ours != 2) return "links";
              if (links[0]->get_bandwidth() != machine.route_bandwidth(from, to)) return "bandwidth";
            }
          return "alike";
        }) == "alike");
}

TEST_CASE("What SimGrid's platforms are is said in a sentence") {
  const std::string cluster =
      "<cluster id=\"c\" prefix=\"c\" suffix=\"\" radical=\"0-15\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" ";
  const std::string torus = cluster + "topology=\"TORUS\" topo_parameters=\"4,4\" ",
                    host = "<host id=\"h\" speed=\"1Gf\"/>";
  const std::string equal =
      "torus:4x4,bandwidth=1GBps,latency=1us,base-latency=0s,speed=1Gf,loopback-bandwidth=498MBps,"
      "loopback-latency=15us is equal to ";
  const auto zone = [](const std::string& inside) { return "<zone id=\"z\" routing=\"Full\">" + inside + "</zone>"; };
  const std::vector<std::pair<std::string, std::string>> platforms{
      {cluster + "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,2\"/>",
       "a cluster with FAT_TREE topology, expected"},
      {cluster + "topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;2,1;2\"/>", "a cluster with DRAGONFLY topology"},
      {cluster + "topology=\"FLAT\"/>", "base-latency=2us,speed=1Gf is equal to it"},
      {cluster + "bb_bw=\"2GBps\" bb_lat=\"1us\"/>", "joined by one switch, expected a grid, which toroid has alone"},
      {cluster + "sharing_policy=\"SHARED\"/>", "joined by one switch, expected a grid, which toroid has alone"},
      {torus + "/>" + host,
       "a cluster with TORUS topology beside other hosts, expected a grid, which toroid has alone; " + equal +
           "the cluster"},
      {zone(zone(torus + "/>") + zone(host)), equal + "the cluster"},
      {torus + "/>" + cluster + "/>", "found 2 clusters"},
      {torus + "sharing_policy=\"FATPIPE\"/>", "sharing_policy: found 'FATPIPE', expected SPLITDUPLEX"},
      {torus + "limiter_link=\"1GBps\"/>", "limiter_link: found '1GBps', expected none"},
      {cluster + "topology=\"TORUS\" topo_parameters=\"4,3\"/>", "radical: found 16 hosts, expected 12"},
      {cluster + "topology=\"TORUS\" topo_parameters=\"4;4\"/>", "radical: found 16 hosts, expected 1"},
      {"<cluster topology=\"TORUS\"/>", "<cluster> needs the attribute 'id'"},
      {cluster + "topology=\"TORUS\"/>", "<cluster> needs the attribute 'topo_parameters'"},
      {host, "hosts and links that SimGrid alone can route (1 hosts)"},
      {zone(host + "<host id=\"i\" speed=\"1Gf\"/><link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/><route src=\"h\" "
                   "dst=\"i\"><link_ctn id=\"l\"/></route>"),
       "(2 hosts)"},
      {"<AS id=\"a\" routing=\"Vivaldi\"><peer id=\"p\" speed=\"1Gf\" bw_in=\"1MBps\" bw_out=\"1MBps\"/></AS>",
       "(1 hosts)"},
      {zone(zone(host) + "<zoneRoute src=\"a\" dst=\"b\"/>"), "(1 hosts)"},
      {"<config><prop id=\"network/model\" value=\"CM02\"/></config>" +
           zone("<cabinet id=\"c\" prefix=\"c\" suffix=\"\" radical=\"0-9\"/>"),
       "hosts and links"},
      {zone("<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"WIFI\"/>"), "(0 hosts)"},
      {zone("<router id=\"r\"/>" + host), "(1 hosts)"}};
  const test::Scratch scratch;
  for (const auto& [inside, message] : platforms) {
    CAPTURE(inside);
    const auto error = test::error_of([&] { make_machine(scratch.write("p.xml", platform_with(inside))); });
    CHECK_THAT(error, Catch::Contains(message));
  }
}

TEST_CASE("What is exported for SimGrid is read again as the machine") {
  const test::Scratch scratch;
  for (const std::string spec :
       {"torus:4x3,base-latency=0s,bandwidth=1.25GBps,latency=137ns,cores=6",
        "mesh:3x4,x.bandwidth=2GBps,injection=1GBps", "torus:4x4,fail-link=0-1,description=(a <small> \"one\" & more)",
        "ring:5x2,x.shared=yes", "redstorm-cabinet"}) {
    const auto machine = make_machine(spec);
    auto read = make_machine(scratch.write("p.xml", export_simgrid_xml(machine))).description();
    CHECK((read.name == "toroid" || read.name == "torus"));
    read.name = machine.description().name;
    CHECK(read == machine.description());
  }
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
