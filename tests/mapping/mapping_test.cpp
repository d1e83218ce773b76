#include "toroid/mapping/mapper.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::mapping {
namespace {

using platforms::make_machine;
using test::error_of;
using test::Scratch;

const Machine& machine() {
  static const auto torus = make_machine("torus:4x4,cores=2");
  return torus;
}

/// The traffic of so many ranks that send nothing.
const Traffic& silent(std::int32_t ranks) {
  static std::map<std::int32_t, Traffic> made;
  CommunicationMatrix matrix;
  matrix.rows.resize(static_cast<std::size_t>(ranks));
  return made.try_emplace(ranks, std::move(matrix)).first->second;
}

MappingProblem problem(std::vector<NodeId> slots, std::int32_t ranks, std::uint64_t seed = 1) {
  return {machine(), std::move(slots), silent(ranks), seed};
}

std::vector<NodeId> sixteen_nodes() {
  const auto nodes = core::ids<NodeId>(16);
  return {nodes.begin(), nodes.end()};
}

TEST_CASE("Consecutive puts rank r on the r-th slot") {
  CHECK(make_mapping("consecutive", problem({7, 3, 5, 1}, 3)) == Mapping{7, 3, 5});
}

TEST_CASE("Node puts the ranks on the nodes of consecutive, in the order of their numbers") {
  CHECK(make_mapping("node", problem({7, 3, 5, 1}, 3)) == Mapping{3, 5, 7});
  CHECK(make_mapping("node", problem({9, 4, 9, 4}, 4)) == Mapping{4, 4, 9, 9});
}

TEST_CASE("A node that stands twice takes two ranks") {
  CHECK(make_mapping("consecutive", problem({4, 4, 9, 9}, 4)) == Mapping{4, 4, 9, 9});
  CHECK_THAT(error_of([] {
               make_mapping("consecutive", problem({4, 4, 9, 4}, 4));
             }),
             Catch::StartsWith("the job's nodes: node 4 is given 3 times; "));
  CHECK_THAT(error_of([] {
               make_mapping("consecutive", problem({4, 16}, 2));
             }),
             Catch::StartsWith("the job's nodes: found node 16, expected one of "));
}

TEST_CASE("A random mapping uses no slot twice") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto mapping = make_mapping("random", problem(sixteen_nodes(), 9, seed));
    REQUIRE(mapping.size() == 9);
    std::sort(mapping.begin(), mapping.end());
    REQUIRE(std::adjacent_find(mapping.begin(), mapping.end()) == mapping.end());
  }
}

TEST_CASE("A random mapping of all slots is a permutation of them") {
  const std::vector<NodeId> slots{2, 2, 5, 9, 11, 11};
  const auto mapping = make_mapping("random", problem(slots, 6, 3));
  CHECK(std::is_permutation(mapping.begin(), mapping.end(), slots.begin()));
}

TEST_CASE("The seed alone decides a random mapping") {
  const auto with = [](const std::string& spec, std::uint64_t seed) {
    return make_mapping(spec, problem(sixteen_nodes(), 16, seed));
  };
  CHECK(with("random", 5) == with("random", 5));
  CHECK(with("random", 5) != with("random", 6));
}

TEST_CASE("The seed of a random mapping's spec goes before the problem's") {
  const auto with = [](const std::string& spec, std::uint64_t seed) {
    return make_mapping(spec, problem(sixteen_nodes(), 16, seed));
  };
  CHECK(with("random:seed=5", 1) == with("random:seed=5", 2));
  CHECK(with("random:seed=5", 1) == with("random", 5));
  CHECK(with("random:seed=0", 1) == with("random", 0));
}

TEST_CASE("The seed of a random mapping is a whole number from 0") {
  for (const std::string seed : {"-1", "x", "1.5"})
    CHECK(error_of([&] {
            make_mapping("random:seed=" + seed, problem({1, 2}, 2));
          }).find("whole number from 0") != std::string::npos);
}

TEST_CASE("Every order of three nodes is about equally likely") {
  std::map<std::vector<NodeId>, int> seen;
  for (std::uint64_t seed = 0; seed < 6000; ++seed)
    ++seen[make_mapping("random", problem({1, 2, 3}, 3, seed)).elements()];
  REQUIRE(seen.size() == 6);
  for (const auto& [mapping, count] : seen) CHECK(std::abs(count - 1000) < 130);  // 4.5 standard deviations
}

TEST_CASE("Every slot is about equally likely to stay empty") {
  std::map<NodeId, int> used;
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    for (const auto node : make_mapping("random", problem({1, 2, 3, 4}, 3, seed))) ++used[node];
  for (const auto& [node, count] : used) CHECK(std::abs(count - 3000) < 125);
}

TEST_CASE("More ranks than slots are an error that names both and the machine") {
  for (const std::string mapper : {"consecutive", "random", "grasp"})
    CHECK(error_of([&] {
            make_mapping(mapper, problem({1, 2}, 3));
          }).starts_with("3 ranks do not fit on 2 slots of torus:4x4,cores=2; expected"));
}

TEST_CASE("A name that is neither mapper nor file is an error that lists the mappers") {
  CHECK(error_of([] { make_mapping("peano", problem({1}, 1)); }) ==
        "'peano': no such mapper and no such file; valid: " + core::join(mappers().names()) + ", or a mapping file");
  CHECK(error_of([] {
          make_mapping("grap:cost=td", problem({1}, 1));
        }).starts_with("'grap:cost=td': no such mapper and no such file; did you mean 'grasp'? valid: "));
}

TEST_CASE("What is there and no mapping file is told") {
  const test::Scratch scratch;
  CHECK(error_of([&] { make_mapping(scratch.path(""), problem({1}, 1)); }) ==
        "'" + scratch.path("") + "': is a directory; expected a file");
}

TEST_CASE("An unknown key or argument of a mapper is an error") {
  CHECK(error_of([] {
          make_mapping("random:sed=1", problem({1}, 1));
        }).find("has no key 'sed'; did you mean 'seed'? valid: seed") != std::string::npos);
  CHECK(error_of([] { make_mapping("consecutive:x", problem({1}, 1)); }).find("takes no argument") !=
        std::string::npos);
}

TEST_CASE("A mapping file gives the nodes in rank order") {
  const Scratch scratch;
  const auto path = scratch.write("map.txt", "# ranks\n5\n\n 3 \t# rank 1\n9\r\n");
  CHECK(read_mapping(path) == Mapping{5, 3, 9});
  CHECK(make_mapping("file:" + path, problem({3, 5, 9}, 3)) == Mapping{5, 3, 9});
  CHECK(make_mapping(path, problem({3, 5, 9}, 3)) == Mapping{5, 3, 9});
}

TEST_CASE("A mapping file may be compressed") {
  const Scratch scratch;
  CHECK(read_mapping(scratch.write("map.zst", test::zstd_compressed("5\n3\n"))) == Mapping{5, 3});
}

TEST_CASE("A mapping is read as it was written") {
  const Scratch scratch;
  const Mapping mapping{5, 0, 15, 5};
  CHECK(mapping_text(mapping) == "5\n0\n15\n5\n");
  CHECK(read_mapping(scratch.write("map.txt", mapping_text(mapping))) == mapping);
}

TEST_CASE("What is no node number is an error at its line of the mapping file") {
  const Scratch scratch;
  for (const std::string line : {"x", "1 2", "1.5", "99999999999", "0x1"}) {
    const auto path = scratch.write("map.txt", "# first\n4\n" + line + "\n");
    CHECK(error_of([&] { read_mapping(path); }) == path + ":3: found '" + line + "', expected one node number");
  }
}

TEST_CASE("A mapping file that is missing or not named is an error") {
  CHECK(error_of([] { make_mapping("file", problem({1}, 1)); }) == "'file': expected file:PATH");
  CHECK(error_of([] {
          make_mapping("file:/no/such.map", problem({1}, 1));
        }).starts_with("/no/such.map: No such file or directory"));
}

std::string check_error(const Mapping& mapping, std::vector<NodeId> slots, std::int32_t ranks) {
  return error_of([&] { check_mapping(mapping, problem(std::move(slots), ranks), "m"); });
}

TEST_CASE("An injection of the ranks into the slots passes") {
  CHECK(check_error({3, 1}, {1, 2, 3}, 2).empty());
  CHECK(check_error({3, 3}, {3, 1, 3}, 2).empty());
}

TEST_CASE("A mapping of another number of ranks is an error") {
  CHECK(check_error({1}, {1, 2}, 2) == "m: found nodes for 1 ranks, expected 2");
  CHECK(check_error({1, 2}, {1, 2}, 1) == "m: found nodes for 2 ranks, expected 1");
  CHECK(check_error({}, {1, 2}, 1) == "m: found nodes for 0 ranks, expected 1");
}

TEST_CASE("A rank on a node that the job does not hold is an error") {
  CHECK(check_error({1, 4}, {1, 2}, 2) == "m: rank 1 is on node 4, which is not among the job's nodes");
  CHECK(check_error({-1, 1}, {1, 2}, 2) == "m: rank 0 is on node -1, which is not among the job's nodes");
}

TEST_CASE("More ranks on a node than it has slots are an error") {
  CHECK(check_error({1, 2, 1}, {1, 2, 3}, 3) == "m: rank 2 is the 2. rank on node 1, which takes 1");
  CHECK(check_error({1, 1, 1}, {1, 1, 3}, 3) == "m: rank 2 is the 3. rank on node 1, which takes 2");
}

TEST_CASE("A bad mapping file is found before it is used") {
  const Scratch scratch;
  const auto path = scratch.write("map.txt", "1\n1\n");
  CHECK(error_of([&] { make_mapping(path, problem({1, 2}, 2)); }).starts_with(path + ": rank 1 is the 2. rank"));
  CHECK(error_of([&] {
          make_mapping("file:" + path, problem({1, 2}, 2));
        }).find("rank 1 is the 2. rank") != std::string::npos);
}

TEST_CASE("Node lists keep their order") {
  CHECK(parse_nodes("5", machine()) == std::vector<NodeId>{5});
  CHECK(parse_nodes("8-10,2,0-1", machine()) == std::vector<NodeId>{8, 9, 10, 2, 0, 1});
  CHECK(parse_nodes(" 3 - 4 , 15 ", machine()) == std::vector<NodeId>{3, 4, 15});
  CHECK(parse_nodes("n8-n10,2", machine()) == std::vector<NodeId>{8, 9, 10, 2});
  CHECK(parse_nodes("0-15", machine()) == sixteen_nodes());
}

TEST_CASE("A list of nodes may be in a file, and name boxes") {
  const Scratch scratch;
  const auto path = scratch.write("hosts", "# as PBS writes them\n3 slots=4\n3\n\nn5\n(0-1,3)\n");
  CHECK(parse_nodes("@" + path, machine()) == std::vector<NodeId>{3, 5, 12, 13});
  CHECK(parse_nodes("y=1", machine()) == std::vector<NodeId>{4, 5, 6, 7});
  CHECK(parse_nodes("(1,0-1),0", machine()) == std::vector<NodeId>{1, 5, 0});
  // Of a box those that compute; a node that is named must.
  const auto broken = make_machine("torus:4x4,fail-node=4-5,cores=2");
  CHECK(parse_nodes("y=1", broken) == std::vector<NodeId>{6, 7});
  CHECK(error_of([&] { parse_nodes("(0,1)", broken); }).find("no node at (0,1)") != std::string::npos);
  CHECK(error_of([&] { parse_nodes("4", broken); }).find("node 4 of") != std::string::npos);
  CHECK(error_of([&] { parse_nodes("3,(3,0)", machine()); }).find("node 3 is given twice") != std::string::npos);
  const auto named = make_machine("torus:4x4,node-names=(nid[00000-00015]),cores=2");
  CHECK(parse_nodes("@" + scratch.write("names", "nid[00004-00006]\nnid00001\n"), named) ==
        std::vector<NodeId>{4, 5, 6, 1});
  CHECK(error_of([&] { parse_nodes("nid[00004-00006]", machine()); }).find("have no names; expected nodes such as") !=
        std::string::npos);
  // Several lists on a line, blanks within a box, and what is for others.
  const auto lists = [&](const std::string& text) {
    return parse_nodes("@" + scratch.write("lists", text), machine());
  };
  CHECK(lists("0-3 8-11\n") == std::vector<NodeId>{0, 1, 2, 3, 8, 9, 10, 11});
  CHECK(lists("0-1, 5 # comment\n(0-1, 3)\ty=1 slots=4 max_slots=8\n") ==
        std::vector<NodeId>{0, 1, 5, 12, 13, 4, 6, 7});
  const auto fault = [&](const std::string& text) { return error_of([&] { lists("1\n" + text + "\n"); }); };
  const auto place = scratch.path("lists") + ":2: ";
  CHECK(fault("3 slots=4 5").starts_with(place + "found '5' after key=value"));
  CHECK(fault("3 and 5").starts_with(place + "found 'and', expected nodes such as"));
  CHECK(fault("(0-4,0)").starts_with(place + "found '0-4' for x"));
  CHECK(fault("z=0").starts_with(place + "no dimension 'z'"));
  CHECK(fault("nid[1-2]").starts_with(place));
  CHECK(error_of([&] {
          parse_nodes("@" + scratch.write("unknown", "nid00001\nnid00077\n"), named);
        }).starts_with(scratch.path("unknown") + ":2: 'nid00077': no node is called"));
  CHECK_THAT(error_of([&] { parse_nodes("0-3,0", machine()); }),
             Catch::Contains("node 0 is given twice; a box has parentheses of its own, (0-3,0)"));
  const auto wrong = scratch.write("wrong", "3\n77\n");
  CHECK(error_of([&] { parse_nodes("@" + wrong, machine()); }).starts_with(wrong + ":2: node 77 does not exist"));
  CHECK(error_of([&] { parse_nodes("@" + scratch.write("none", "#\n"), machine()); }).find("found no nodes") !=
        std::string::npos);
}

TEST_CASE("What is no node list is an error") {
  for (const std::string text : {"", "a", "1,", ",1", "1,,2", "3-1", "1-", "1-2-3", "1.5", "1;2", "1 2"}) {
    CAPTURE(text);
    CHECK(error_of([&] { parse_nodes(text, machine()); }).find("expected nodes such as 0-15") != std::string::npos);
  }
}

TEST_CASE("Nodes that the machine does not have are errors") {
  CHECK(error_of([] { parse_nodes("0,16", machine()); }) ==
        "'0,16': node 16 does not exist; torus:4x4,cores=2 has nodes 0 to 15");
  CHECK(error_of([] { parse_nodes("14-2147483647", machine()); }).find("node 16 does not exist") != std::string::npos);
  CHECK(error_of([] { parse_nodes("2147483647", machine()); }).find("does not exist") != std::string::npos);
  CHECK(error_of([] { parse_nodes("-1", machine()); }).find("node -1 does not exist") != std::string::npos);
}

TEST_CASE("A node given twice is an error") {
  CHECK(error_of([] { parse_nodes("3,1-4", machine()); }) == "'3,1-4': node 3 is given twice");
}

TEST_CASE("Every mapper has help, and defaults that it takes") {
  for (const auto& entry : mappers().entries()) {
    CAPTURE(entry.name);
    CHECK_FALSE(entry.help.empty());
    for (const auto& key : entry.parameters)
      CHECK_FALSE((key.help.empty() || key.values.empty() || key.fallback.empty()));
    if (entry.argument.empty()) CHECK_NOTHROW(mappers().make(std::string(entry.name)));
  }
}

TEST_CASE("Mappers within mappers end somewhere, in parentheses or not") {
  std::string nested = "consecutive", chained;
  for (int i = 0; i < 10'000; ++i) {
    nested = "refine:base=(" + nested + ")";
    chained += "refine:base=";
  }
  for (const auto& text : {nested, chained + "consecutive"}) {
    const auto error = error_of([&] { mappers().make(text); });
    CHECK(error.find("more than 20 specs within each other") != std::string::npos);
    CHECK(error.size() < 200);
  }
  CHECK_NOTHROW(mappers().make("refine:base=(refine:base=(anneal:base=(grasp:cost=td)))"));
}

TEST_CASE("A mapper that is made once maps any number of problems") {
  const auto mapper = mappers().make("random");
  CHECK(make_mapping(*mapper, problem(sixteen_nodes(), 9, 1)) ==
        make_mapping("random", problem(sixteen_nodes(), 9, 1)));
  CHECK(make_mapping(*mapper, problem(sixteen_nodes(), 9, 2)) ==
        make_mapping("random", problem(sixteen_nodes(), 9, 2)));
}

}  // namespace
}  // namespace toroid::mapping
