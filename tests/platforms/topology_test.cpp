// Slurm's topology.yaml as a machine, and lists of hosts.

#include <catch2/catch.hpp>

#include "platforms/names.hpp"
#include "platforms/xml.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("Lists of hosts are read and written") {
  const auto names = [](const std::string& text) { return expand_host_list(text, "", 1000); };
  CHECK(names("nid[001-003,010],login") == Names{"nid001", "nid002", "nid003", "nid010", "login"});
  CHECK(names("r[1-2]n[8-9]") == Names{"r1n8", "r1n9", "r2n8", "r2n9"});
  CHECK(names("a[9-10]") == Names{"a9", "a10"});
  CHECK(names("a,-,b-1") == Names{"a", "", "b-1"});
  for (const std::string list :
       {"nid[001-003,010],login", "a,b", "a[1-2],-,a[4-5]", "n[08-10]", "x7", "r1n[1-2],r2n[1-2]"})
    CHECK(host_list(names(list)) == list);
  for (const std::string bad : {"a[1-", "a]1", "a[x]", "a[2-1]", "a[]", "a,,b", "a b", "", "a[1-99999]", "a[1-2000]"})
    CHECK(!test::error_of([&] { names(bad); }).empty());
}

const std::string head = "- topology: t\n  cluster_default: true\n";
const std::string pod = head +
                        "  torus3d:\n    toruses:\n      - name: pod1\n        dims: {x: 4, y: 2, z: 2}\n"
                        "        nodes: nid[001-016]\n        placements:\n          - dims: {x: 2, y: 2, z: 1}\n"
                        "          - dims: {x: 4, y: 2, z: 2}\n            anchor_spacing: {x: 4, y: 1, z: 0}\n"
                        "            anchor_seed: {z: 1}\n";

TEST_CASE("A torus has its shape, its names, its placements") {
  const test::Scratch scratch;
  const auto machine = make_machine(scratch.write("topology.yaml", pod));
  const auto& m = machine.description();
  CHECK(shape_text(m) == "4x2x2");
  CHECK(m.dimensions[2].wrap == Wrap::torus);
  CHECK(m.node_names.size() == 16);
  CHECK(node_name(m, 15) == "nid016");
  CHECK(m.placements == std::vector<std::vector<Placement>>{
                            {{.dims = {2, 2, 1}}, {.dims = {4, 2, 2}, .spacing = {4, 1, 0}, .seed = {0, 0, 1}}}});
  CHECK(parse_xml(xml_text(m), "again") == m);
  CHECK(make_machine(scratch.path("topology.yaml") + ":bandwidth=50GBps").grid().dimension(0).bandwidth == 50e9);
}

TEST_CASE("Regions leave cells empty") {
  const test::Scratch scratch;
  const auto path =
      scratch.write("t.yml", head +
                                 "  torus3d: {toruses: [{name: a, dims: {x: 3, y: 2, z: 1}, regions: [\n"
                                 "    {anchor: {x: 0, y: 0, z: 0}, dims: {x: 2, y: 2, z: 1}, nodes: 'a[1-4]'}]}]}\n");
  const auto machine = make_machine(path);
  CHECK(machine.compute_nodes().size() == 4);
  CHECK(machine.state(2) == NodeState::absent);
  CHECK(node_name(machine.description(), 3) == "a3");  // x fastest: a1 a2 - a3 a4 -
  CHECK(parse_xml(xml_text(machine.description()), "again") == machine.description());
}

TEST_CASE("Tori of one size stand beside each other, one of several can be named") {
  const test::Scratch scratch;
  const auto torus = [](const std::string& name, const std::string& x, const std::string& nodes) {
    return "      - {name: " + name + ", dims: {x: " + x + ", y: 1, z: 1}, nodes: '" + nodes +
           "', placements: [{dims: {x: 2, y: 1, z: 1}}]}\n";
  };
  const auto start = head + "  torus3d:\n    toruses:\n";
  const auto alike =
      make_machine(scratch.write("a.yaml", start + torus("a", "2", "a[1-2]") + torus("b", "2", "b[1-2]")));
  CHECK(shape_text(alike.description()) == "2x1x1x2");
  CHECK(torus_count(alike.description()) == 2);
  CHECK(alike.description().placements.size() == 1);
  const auto different = scratch.write("b.yaml", start + torus("a", "2", "a[1-2]") + torus("b", "3", "b[1-3]"));
  CHECK(make_machine(different + ":torus=b").node_count() == 3);
  CHECK(test::error_of([&] { make_machine(different); }).find("expected torus=NAME") != std::string::npos);
  CHECK(test::error_of([&] { make_machine(different + ":torus=c"); }).find("no torus 'c'") != std::string::npos);
}

TEST_CASE("Rings become a machine of rings, shorter ones with routers that have no node") {
  const test::Scratch scratch;
  const auto machine = make_machine(scratch.write(
      "r.yaml", "- topology: r\n  ring: {rings: [{ring: r1, nodes: 'a[1-4]'}, {ring: r2, nodes: 'b[1-3]'}]}\n"));
  CHECK(shape_text(machine.description()) == "4x2");
  CHECK(machine.grid().dimension(0).wrap == Wrap::torus);
  CHECK(machine.grid().dimension(1).wrap == Wrap::mesh);
  CHECK(machine.compute_nodes().size() == 7);
  CHECK(machine.state(7) == NodeState::absent);
}

TEST_CASE("What Slurm refuses is refused in its words, with file and line") {
  const auto dims = std::string("dims: {x: 4, y: 2, z: 2}");
  const auto torus = [&](const std::string& rest) {
    return head + "  torus3d:\n    toruses:\n      - name: pod1\n        " + rest + "\n";
  };
  struct Bad {
    std::string text, message;
  };
  const std::vector<Bad> files{
      // The ten files of Slurm's test_150_9, in other words.
      {head + "  ring: r1\n", ":3: source: #/ring/, description: Rejecting string when dictionary expected"},
      {head + "  tree: {switches: []}\n  ring: {rings: []}\n",
       "source: #/ring/, description: Field ring is mutually exclusive with fields block, tree and flat"},
      {head + "  ring:\n    rings: r1=node[1-4]\n",
       ":4: source: #/ring/rings/, description: Unexpected type string when expecting a list"},
      {head + "  torus3d: 4x2x2\n", ":3: source: #/torus3d/, description: Rejecting string when dictionary expected"},
      {head + "  block: {block_sizes: [4]}\n  torus3d: {toruses: []}\n",
       "source: #/torus3d/, description: Field torus3d is mutually exclusive with fields block, tree, flat and ring"},
      {head + "  torus3d:\n    toruses: pod1\n",
       ":4: source: #/torus3d/toruses/, description: Unexpected type string when expecting a list"},
      {torus(dims + "\n        nodes: n[1-16]\n        placements: 2x2x1"),
       ":8: source: #/torus3d/toruses/placements/, description: Unexpected type string when expecting a list"},
      {torus(dims + "\n        regions: r1=n[1-8]"),
       ":7: source: #/torus3d/toruses/regions/, description: Unexpected type string when expecting a list"},
      {head + "  ring: {rings: [{ring: ring0, nodes: 'node[1-17]'}]}\n", ":3: Ring (ring0) is bigger than 16"},
      {torus(dims + "\n        nodes: node[1-8]"),
       ":5: Torus3d (pod1) has invalid configuration: dims 4x2x2=16 do not "
       "match node count 8"},
      // And others.
      {"t: 1\n", ":1: source: #/, description: unknown key 't'"},
      {"nothing\n", ":1: source: #/, description: Unexpected type string when expecting a list"},
      {"- topology: t\n", "expected one of tree, block, ring, flat and torus3d"},
      {"- topology: t\n  tree: {}\n", "topology t is of the kind tree, expected torus3d or ring"},
      {"- {a: [1\n", "this is no YAML here"},
      {torus("dims: {x: 0, y: 1, z: 1}\n        nodes: a"), "requires non-zero x,y,z"},
      {torus(dims + "\n        nodes: n[1-16]\n        regions: []"), "cannot specify both nodes and regions"},
      {torus(dims + "\n        nodes: n[1-16]\n        placements: [{dims: {x: 5, y: 1, z: 1}}]"),
       "placement dims 5x1x1 exceed torus dimensions 4x2x2"},
      {torus(dims + "\n        nodes: n[1-16]\n        placements: [{dims: {x: 1, y: 1, z: 1}, anchor_seed: {x: 4}}]"),
       "anchor_seed 4x0x0 must be within torus dimensions"},
      {torus(dims + "\n        nodes: n[1-15],n1"), "node n1 is in two cells"},
      {torus(dims + "\n        nods: n[1-16]"), "unknown key 'nods'; did you mean 'nodes'?"},
      {torus(dims + "\n        regions: [{anchor: {x: 3}, dims: {x: 2, y: 1, z: 1}, nodes: a}]"),
       "region dims 2x1x1 from 3,0,0 on exceed"},
      {torus(dims +
             "\n        regions: [{anchor: {x: 0}, dims: {x: 1, y: 1, z: 1}, nodes: a}, {anchor: {x: 0}, dims: {x: "
             "1, y: 1, z: 1}, nodes: b}]"),
       "a region overlaps existing nodes at 0,0,0"},
      {pod + "        name: again\n", "topology.yaml:13: 'name' is given twice"},
      {"- topology: t\n  topology: u\n", "'topology' is given twice"},
      {"- topology: &a t\n  cluster_default: *a\n", "topology.yaml:2: found an alias, expected the value itself"},
      {std::string(100'000, '['), "topology.yaml:1: found values within values 101 levels deep, expected 100 at most"},
      {std::string(100'000, '{'), "101 levels deep"},
  };
  const test::Scratch scratch;
  for (const auto& [text, message] : files) {
    const auto error = test::error_of([&] { make_machine(scratch.write("topology.yaml", text)); });
    CAPTURE(text, error);
    CHECK(error.find("topology.yaml:") != std::string::npos);
    CHECK(error.find(message) != std::string::npos);
  }
}

TEST_CASE("Keys of a topology.yaml cost no more than their number") {
  const test::Scratch scratch;
  std::string keys;
  for (int i = 0; i < 500'000; ++i) keys += fmt::format("k{}:\n", i);
  const auto path = scratch.write("topology.yaml", keys);
  CHECK_THAT(test::error_of([&] { make_machine(path); }), Catch::Contains("unknown key 'k0'"));
}

TEST_CASE("Topologies that are not asked for may hold anything") {
  const test::Scratch scratch;
  const std::string others =
      "- topology: fast\n  tree: {switches: [{switch: s0, nodes: 'n[1-4]', speed: 3}]}\n  topology_param: {x: [1]}\n"
      "- topology: slow\n  tree: {}\n  block: {block_sizes: [4]}\n- name: nobody\n";
  const auto path = scratch.write("topology.yaml", others + pod);
  CHECK(make_machine(path).description() == make_machine(scratch.write("pod.yaml", pod)).description());
  CHECK_THAT(test::error_of([&] { make_machine(path + ":topology=fast"); }),
             Catch::Contains("unknown key 'topology_param'"));
}

TEST_CASE("Nodes are found by their names wherever nodes are listed") {
  const auto machine =
      make_machine("torus:4x2,node-names=(nid[001-008]),fail-node=(nid[002-003] 7),service-nodes=nid001");
  CHECK(machine.state(0) == NodeState::service);
  CHECK(machine.state(1) == NodeState::failed);
  CHECK(machine.state(2) == NodeState::failed);
  CHECK(machine.state(7) == NodeState::failed);
  CHECK(machine.compute_nodes().size() == 4);
  const auto error = [](const std::string& text) { return test::error_of([&] { make_machine(text); }); };
  CHECK(error("torus:4x2,node-names=(nid[001-008]),fail-node=nid009").find("no node is called 'nid009'") !=
        std::string::npos);
  CHECK(error("torus:4x2,node-names=(nid[001-009])").find("found 9 names") != std::string::npos);
  CHECK(error("torus:4x2,node-names=(nid[001-007])").find("found 7 names, expected 8, one for each node or -") !=
        std::string::npos);
  CHECK(error("torus:4x2,node-names=(a,b,a,c,d,e,f,g)").find("'a' is there twice") != std::string::npos);
  CHECK(error("torus:4x2,node-names=(n[1-8]),fail-node=n3").find("expected 2 or 3") != std::string::npos);
  CHECK(make_machine("torus:4x2,node-names=(n[0-7]),fail-node=n3").state(3) == NodeState::failed);
}

}  // namespace
}  // namespace toroid::platforms
