// Machines as graphs: distances in them are the machine's hops.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <cstdlib>
#include <map>
#include <pugixml.hpp>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/document.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/text.hpp"
#include "toroid/platforms/load.hpp"

using namespace toroid;
using platforms::make_machine;

namespace {

using Neighbours = std::map<std::string, std::vector<std::string>>;

std::string written(const std::string& format, const platforms::Machine& machine) {
  return platforms::machine_formats().find(format).make(machine);
}

std::map<std::string, int> distances(const Neighbours& graph, const std::string& from) {
  std::map<std::string, int> all{{from, 0}};
  std::queue<std::string> open;
  for (open.push(from); !open.empty(); open.pop())
    if (const auto found = graph.find(open.front()); found != graph.end())
      for (const auto& next : found->second)
        if (all.emplace(next, all.at(open.front()) + 1).second) open.push(next);
  return all;
}

std::size_t routers_of(const platforms::Machine& machine) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto router : machine.grid().routers()) ++count;
  return count;
}

/// Links as far as shortest paths are the machine's routes.
const std::vector<std::string> machines{"mesh:5", "mesh:4x3,latency=1us", "torus:4x5x3", "torus:2x2x2x2x2",
                                        "tpu-v4:4x4x8"};

void check_distances(const platforms::Machine& machine, const Neighbours& graph) {
  for (const auto from : machine.grid().routers()) {
    const auto to_all = distances(graph, machine.router_name(from));
    REQUIRE(to_all.size() == routers_of(machine));
    for (const auto to : machine.grid().routers())
      if (to_all.at(machine.router_name(to)) != machine.hops(machine.first_node(from), machine.first_node(to)))
        FAIL(machine.router_name(from) << " to " << machine.router_name(to));
  }
}

/// A word that XML calls NMTOKEN, of ASCII alone.
bool is_name_token(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("._:-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

}  // namespace

TEST_CASE("GraphML has the routers, the links and their properties") {
  for (const auto& text : machines) {
    CAPTURE(text);
    const auto machine = make_machine(text);
    pugi::xml_document document;
    REQUIRE(document.load_string(written("graphml", machine).c_str()));
    const auto graph = document.child("graphml").child("graph");
    Neighbours neighbours;
    for (const auto edge : graph.children("edge"))
      neighbours[edge.attribute("source").value()].emplace_back(edge.attribute("target").value());
    check_distances(machine, neighbours);
    // As the schema of GraphML has it: every key that is used is declared, and ids are of letters, digits and ._:-
    for (const auto& id : document.select_nodes("//@id")) CHECK(is_name_token(id.attribute().value()));
    CHECK(graph.child("data").text().get() == machine.name());
    for (const auto& data : document.select_nodes("//data"))
      CHECK(document.child("graphml").find_child_by_attribute("key", "id", data.node().attribute("key").value()));
  }
  const auto machine = make_machine("mesh:3x2,bandwidth=1GBps/2GBps,latency=100ns,fail-link=n0-n1");
  const auto text = written("graphml", machine);
  CHECK(core::split(text, '\n').size() > 10);
  pugi::xml_document document;
  REQUIRE(document.load_string(text.c_str()));
  const auto graph = document.child("graphml").child("graph");
  std::size_t edges = 0;
  for (const auto edge : graph.children("edge")) {
    ++edges;
    std::map<std::string, std::string> data;
    for (const auto one : edge.children("data")) data[one.attribute("key").value()] = one.text().get();
    CHECK(std::stod(data["bandwidth_bytes_per_s"]) == (data["dimension"] == "x" ? 1e9 : 2e9));
    CHECK(std::stod(data["latency_s"]) == 1e-7);
  }
  CHECK(edges == 2 * (4 + 3) - 2);  // one failed, both ways
}

TEST_CASE("what Graphviz reads has the same routers and links") {
  const test::Scratch scratch;
  for (const auto& text : machines) {
    CAPTURE(text);
    const auto machine = make_machine(text);
    const auto dot = written("dot", machine);
    Neighbours neighbours;
    for (const auto line : core::split(dot, '\n')) {
      const auto words = core::split(line, '"');
      if (words.size() != 5 || words[2] != " -> ") continue;
      neighbours[std::string(words[1])].emplace_back(words[3]);
      if (line.find("dir=both") != std::string_view::npos) neighbours[std::string(words[3])].emplace_back(words[1]);
    }
    check_distances(machine, neighbours);
    if (std::system("command -v neato > /dev/null") != 0) continue;
    const auto drawn = test::run_script("neato -n2 -Tplain " + scratch.write("m.dot", dot));
    CHECK(drawn.exit_code == 0);
    std::size_t nodes = 0;
    for (const auto line : core::split(drawn.out, '\n')) nodes += line.starts_with("node ") ? 1 : 0;
    CHECK(nodes == routers_of(machine));
  }
  if (std::system("command -v neato > /dev/null") != 0) WARN("skipped in part: there is no neato (Debian: graphviz)");
}
