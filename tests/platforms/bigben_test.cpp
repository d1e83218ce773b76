// BigBen as Weisser, Nystrom, Vizino, Brown and Urbanic describe it (Optimizing Job Placement on the Cray XT3, 2006):
// what their tables say follows from the model of the machine.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

constexpr int cabinets_in_row = 11, rows = 2, cages_in_cabinet = 3, blades_in_cage = 8, nodes_on_blade = 4;
constexpr int nodes_in_cage = blades_in_cage * nodes_on_blade, nodes_in_cabinet = cages_in_cabinet * nodes_in_cage;

/// The paper's triples, and the blade.
struct Place {
  int cabinet, cage, row, blade;
  auto operator<=>(const Place&) const = default;
};

/// By the paper's counting: cabinet by cabinet, alternating rows.
Place place_of(NodeId node) {
  const int cabinet = node.value() / nodes_in_cabinet;
  return {cabinet / rows, node.value() / nodes_in_cage % cages_in_cabinet, cabinet % rows,
          node.value() / nodes_on_blade % blades_in_cage};
}

NodeId first_node(int cabinet, int cage, int row) {
  return NodeId((cabinet * rows + row) * nodes_in_cabinet + cage * nodes_in_cage);
}

const Machine& bigben() {
  static const Machine machine = make_machine("bigben");
  return machine;
}

TEST_CASE("BigBen has 2,068 compute and 22 service nodes in 2 rows of 11 cabinets") {
  const auto& machine = bigben();
  std::set<std::array<int, 2>> cabinets;
  std::set<std::array<int, 3>> cages;
  std::map<Place, int> blades;
  std::set<NodeId> absent, service;
  const auto insert = [](const std::vector<NodeSet>& sets, std::set<NodeId>& nodes) {
    for (const auto& set : sets) {
      const auto& [first, last] = std::get<NodeRange>(set);
      for (NodeId node = first; node <= last; ++node) nodes.insert(node);
    }
  };
  insert(machine.description().absent, absent);
  insert(machine.description().service, service);
  for (const NodeId node : machine.nodes()) {
    const auto p = place_of(node);
    cabinets.insert({p.cabinet, p.row});
    cages.insert({p.cabinet, p.cage, p.row});
    blades[p] += absent.count(node) == 0 ? 1 : 0;
  }
  CHECK(machine.compute_nodes().size() == 2068);
  CHECK(service.size() == 22);
  CHECK(absent.size() == 22);
  CHECK(cabinets.size() == 22);
  CHECK(cages.size() == 66);
  CHECK(blades.size() == 528);
  CHECK(std::count_if(blades.begin(), blades.end(), [](const auto& b) { return b.second == 4; }) == 517);
  CHECK(std::count_if(blades.begin(), blades.end(), [](const auto& b) { return b.second == 2; }) == 11);
  for (const auto node : service) CHECK(blades[place_of(node)] == 2);
}

TEST_CASE("Nodes of BigBen are numbered by cabinet, alternating rows") {
  const auto& machine = bigben();
  const auto& grid = machine.grid();
  const std::array<int, 11> cabled{0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 1};  // cabinets in the order of the x cables
  for (const NodeId node : machine.nodes()) {
    const auto p = place_of(node);
    const auto router = machine.router(node);
    REQUIRE(cabled[static_cast<std::size_t>(grid.coordinate(router, 0))] == p.cabinet);
    REQUIRE(grid.coordinate(router, 1) == p.cage * nodes_on_blade + node.value() % nodes_on_blade);
    REQUIRE(grid.coordinate(router, 2) == p.row * blades_in_cage + p.blade);
  }
}

TEST_CASE("Table 1: hops along x between the cabinets of a row of BigBen") {
  const std::vector<std::vector<int>> table{{},
                                            {1},
                                            {1, 2},
                                            {2, 1, 3},
                                            {2, 3, 1, 4},
                                            {3, 2, 4, 1, 5},
                                            {3, 4, 2, 5, 1, 5},
                                            {4, 3, 5, 2, 5, 1, 4},
                                            {4, 5, 3, 5, 2, 4, 1, 3},
                                            {5, 4, 5, 3, 4, 2, 3, 1, 2},
                                            {5, 5, 4, 4, 3, 3, 2, 2, 1, 1}};
  for (int row = 0; row < rows; ++row)
    for (int a = 0; a < cabinets_in_row; ++a)
      for (int b = 0; b < a; ++b) {
        CAPTURE(row, a, b);
        const Coordinates expected{table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]};
        for (int node = 0; node < nodes_in_cabinet; node += 7) {
          const auto from = first_node(a, 0, row) + node, to = first_node(b, 0, row) + node;
          CHECK(bigben().hops_per_dimension(from, to) == expected);
          CHECK(bigben().hops_per_dimension(to, from) == expected);
        }
      }
}

/// Links per dimension that leave a group of nodes, for each group.
template <class GroupOf>
std::map<int, Coordinates> links_leaving(GroupOf group_of) {
  const auto& machine = bigben();
  std::map<int, Coordinates> leaving;
  for (const LinkId link : machine.grid().links()) {
    REQUIRE(machine.link_exists(link));
    const int from = group_of(machine.first_node(machine.grid().link_source(link)));
    const int to = group_of(machine.first_node(machine.grid().link_target(link)));
    if (from != to) ++leaving[from][machine.grid().link_dimension(link)];
  }
  return leaving;
}

double percent(const Coordinates& links, std::size_t d) {
  return 100.0 * links[d] / std::accumulate(links.begin(), links.end(), 0);
}

TEST_CASE("Table 3: connections that leave a cage and a cabinet of BigBen") {
  const auto cages = links_leaving([](NodeId node) { return node.value() / nodes_in_cage; });
  CHECK(cages.size() == 66);
  for (const auto& [cage, links] : cages) {
    CHECK(links == Coordinates{64, 16, 8});
    CHECK(percent(links, 0) == Approx(72.7).margin(0.05));
    CHECK(percent(links, 1) == Approx(18.2).margin(0.05));
    CHECK(percent(links, 2) == Approx(9.1).margin(0.05));
  }
  const auto cabinets = links_leaving([](NodeId node) { return node.value() / nodes_in_cabinet; });
  CHECK(cabinets.size() == 22);
  for (const auto& [cabinet, links] : cabinets) {
    CHECK(links == Coordinates{192, 0, 24});
    CHECK(percent(links, 0) == Approx(88.9).margin(0.05));
    CHECK(percent(links, 2) == Approx(11.1).margin(0.05));
  }
}

/// The cabinet next along the cables of x.
int next_cabinet(int cabinet, int row) {
  const auto& machine = bigben();
  const auto here = machine.router(first_node(cabinet, 0, row));
  return place_of(machine.first_node(machine.grid().neighbour(here, 0, true))).cabinet;
}

/// The links of one hop from one cage to another.
int links_between(int from_cage, int to_cage) {
  const auto& machine = bigben();
  int count = 0;
  for (const LinkId link : machine.grid().links())
    count += machine.first_node(machine.grid().link_source(link)).value() / nodes_in_cage == from_cage &&
                     machine.first_node(machine.grid().link_target(link)).value() / nodes_in_cage == to_cage
                 ? 1
                 : 0;
  return count;
}

TEST_CASE("Table 4: the order of cages of BigBen in which each is joined to the next") {
  // The wiring: along the cables of x from cabinet 0 and back again, line by line, cage by cage, then the other row.
  std::vector<std::array<int, 3>> wired;
  std::vector<std::array<int, 2>> lines;
  for (int cage = 0; cage < cages_in_cabinet; ++cage) lines.push_back({cage, 0});
  for (int cage = cages_in_cabinet; cage-- > 0;) lines.push_back({cage, 1});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<int> cabinets{0};
    while (cabinets.size() < cabinets_in_row) cabinets.push_back(next_cabinet(cabinets.back(), lines[i][1]));
    if (i % 2 == 1) std::reverse(cabinets.begin(), cabinets.end());
    for (const int cabinet : cabinets) wired.push_back({cabinet, lines[i][0], lines[i][1]});
  }
  // The table: cabinets, cage position, row.
  const std::vector<int> out{0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 1}, back{1, 3, 5, 7, 9, 10, 8, 6, 4, 2, 0};
  std::vector<std::array<int, 3>> table;
  for (const auto& [cabinets, cage, row] :
       {std::tuple(out, 0, 0), {back, 1, 0}, {out, 2, 0}, {back, 2, 1}, {out, 1, 1}, {back, 0, 1}})
    for (const int cabinet : cabinets) table.push_back({cabinet, cage, row});
  CHECK(wired == table);
  for (std::size_t i = 1; i < table.size(); ++i) {
    const auto cage = [&](std::size_t n) {
      return first_node(table[n][0], table[n][1], table[n][2]).value() / nodes_in_cage;
    };
    // Along x all 32 nodes; along y the 8 at an edge; along z the 4 at either edge, since there are but two rows.
    CHECK(links_between(cage(i - 1), cage(i)) == (table[i][0] != table[i - 1][0] ? 32 : 8));
  }
}

}  // namespace
}  // namespace toroid::platforms
