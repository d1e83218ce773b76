#include "mapping/rank_files.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "core/random.hpp"
#include "tests/support/support.hpp"

namespace toroid::mapping {
namespace {

using platforms::make_machine;
using test::error_of;
using workloads::Rank;

std::string written(const std::string& format, const std::string& platform, const std::vector<NodeId>& slots,
                    const Mapping& mapping, const std::string& hosts = "node-{}") {
  const auto machine = make_machine(platform);
  const HostNames names(hosts);
  return rank_file_formats().find(core::Spec::parse(format)).make({machine, slots, mapping, names});
}

TEST_CASE("nodes is the mapping file") {
  CHECK(written("nodes", "mesh:4", {0, 1, 2, 3}, {3, 1, 0}) == "3\n1\n0\n");
}

TEST_CASE("openmpi counts the slots of each host from 0") {
  CHECK(written("openmpi", "mesh:4", {1, 1, 3, 3}, {3, 1, 3, 1}) ==
        "rank 0=node-3 slot=0\nrank 1=node-1 slot=0\nrank 2=node-3 slot=1\nrank 3=node-1 slot=1\n");
}

TEST_CASE("mpich lists the ranks in the order of the slots") {
  CHECK(written("mpich", "mesh:4", {0, 1, 2, 3}, {3, 1, 0, 2}) == "2\n1\n3\n0\n");
  CHECK(written("mpich", "mesh:4", {3, 3, 1, 1}, {1, 3, 1, 3}) == "1,3\n0,2\n");
  CHECK(written("mpich", "mesh:4", {3, 3, 1, 1, 0, 0}, {1, 3, 3}) == "1,2\n0\n");
}

TEST_CASE("mpich cannot leave slots empty before others") {
  CHECK(error_of([] {
          written("mpich", "mesh:4", {0, 1, 2, 3}, {3, 0});
        }).starts_with("format mpich: found 0 ranks on node 1, expected 1"));
  CHECK(error_of([] {
          written("mpich", "mesh:4", {0, 0, 1, 1}, {0, 1, 1});
        }).starts_with("format mpich: found 1 ranks on node 0, expected 2"));
}

TEST_CASE("slurm has a host for each rank") {
  CHECK(written("slurm", "mesh:4", {0, 1, 2, 3}, {3, 1, 3}, "nid{:05}") == "nid00003\nnid00001\nnid00003\n");
}

TEST_CASE("bluegene has coordinates and core, x first") {
  CHECK(written("bluegene", "torus:2x3x4,cores=2", {23, 23, 1}, {23, 1, 23}) == "1 2 3 0\n1 0 0 0\n1 2 3 1\n");
  CHECK(error_of([] { written("bluegene", "mesh:4x4", {0}, {0}); }) ==
        "format bluegene: mesh:4x4 has 2 dimensions, expected 3 (Blue Gene/L, /P) or 5 (/Q)");
}

TEST_CASE("fugaku has the coordinates in the job's own block") {
  CHECK(written("fugaku", "torus:4x6x2", {0, 1}, {1, 0, 1}) == "(1,0,0)\n(0,0,0)\n(1,0,0)\n");
  // Nodes (2,1), (3,1), (2,2), (3,2) are (0,0), (1,0), (0,1), (1,1) of the job.
  CHECK(written("fugaku", "torus:4x6", {6, 7, 10, 11}, {11, 6, 7, 10}) == "(1,1)\n(0,0)\n(1,0)\n(0,1)\n");
  CHECK(error_of([] {
          written("fugaku", "torus:4x6", {6, 7, 10}, {6});
        }) == "format fugaku: the job has 3 of the 4 nodes of the smallest block around it, expected all");
  CHECK(error_of([] { written("fugaku", "torus:2x2x2x2", {0}, {0}); }) ==
        "format fugaku: torus:2x2x2x2 has 4 dimensions, expected the 1 to 3 of a job");
}

TEST_CASE("jax counts the devices of the job's chips") {
  CHECK(written("jax", "torus:4x4", {0, 1, 2, 3}, {3, 1, 0, 2}) == "[3, 1, 0, 2]\n");
  CHECK(written("jax", "torus:4x4", {9, 8, 4, 5}, {9, 4, 5, 8}) == "[3, 0, 1, 2]\n");
  CHECK(written("jax", "torus:4x4,cores=2", {4, 4, 9, 9}, {9, 4, 9, 4}) == "[2, 0, 3, 1]\n");
}

TEST_CASE("reorder gives each process the rank that belongs on its slot") {
  CHECK(written("reorder", "mesh:4", {0, 1, 2, 3}, {3, 1, 0, 2}) == "2\n1\n3\n0\n");
  core::Random random(1, "test/rank-files");
  for (int round = 0; round < 100; ++round) {
    std::vector<NodeId> slots;
    for (int node = 0; node < 12; ++node) slots.insert(slots.end(), 2, NodeId(node));
    auto places = slots;
    random.shuffle(places);
    Mapping mapping;
    for (const auto node : places) mapping.add(node);
    std::istringstream file(written("reorder", "mesh:4x3,cores=2", slots, mapping));
    std::set<int> ranks;
    std::size_t process = 0;
    for (int rank = 0; file >> rank; ++process) {
      REQUIRE(mapping[Rank(rank)] == slots.at(process));
      ranks.insert(rank);
    }
    CHECK(ranks.size() == slots.size());
  }
  CHECK(error_of([] {
          written("reorder", "mesh:4", {0, 1, 2, 3}, {3, 0});
        }).starts_with("format reorder: found 0 ranks on node 1, expected 1"));
}

TEST_CASE("An unknown format is an error that lists those there are") {
  CHECK(error_of([] { written("lsf", "mesh:4", {0}, {0}); }) ==
        "unknown format 'lsf'; valid: nodes, openmpi, mpich, slurm, bluegene, fugaku, jax, reorder");
}

TEST_CASE("Host names are made from a pattern") {
  CHECK(HostNames(platforms::make_machine("torus:4,node-names=(nid[07-08],-,a)")).of(1) == "nid08");
  CHECK(HostNames(platforms::make_machine("torus:4")).of(1) == "node-1");
  CHECK(HostNames("node-{}").of(12) == "node-12");
  CHECK(HostNames("nid{:05}").of(12) == "nid00012");
  CHECK(HostNames("nid{:05}").of(1234567) == "nid1234567");
  CHECK(HostNames("{}.example.org").of(0) == "0.example.org");
}

TEST_CASE("A pattern must make host names, a different one for each node") {
  for (const char* pattern : {"", "node", "node-{", "node-}", "}{", "{}{}", "n{}-{}", "n{:5}", "n{:05d}", "n{:0}",
                              "n{:00}", "n{:x}", "n{0}", "a b{}", "n{}\n", "n{}=1", "n{:099}", "n{:0-5}", "{{}}"}) {
    CAPTURE(pattern);
    CHECK(error_of([&] { HostNames{pattern}; }).find("expected one, or a host name with one {}") != std::string::npos);
  }
}

TEST_CASE("A file with the hosts of a job names its nodes in their order") {
  const test::Scratch scratch;
  HostNames hosts(scratch.write("hosts", "nid7\nnid3\n"));
  const auto machine = platforms::make_machine("mesh:8,cores=2");
  hosts.belong_to(machine, std::vector<NodeId>{5, 5, 1, 1});
  CHECK(hosts.of(5) == "nid7");
  CHECK(hosts.of(1) == "nid3");
  // Two names for eight nodes of a job that has three of them: line n is of node n.
  HostNames others(scratch.path("hosts"));
  others.belong_to(machine, std::vector<NodeId>{5, 1, 2});
  CHECK(others.of(0) == "nid7");
  CHECK(error_of([&] { others.of(5); }).find("expected one for node 5 too") != std::string::npos);
}

TEST_CASE("A file whose hosts may be those of two sets of nodes is refused where these differ") {
  const test::Scratch scratch;
  const auto machine = platforms::make_machine("mesh:8");
  const auto path = scratch.write("hosts", "a\nb\nc\nd\n");
  const auto name = [&](std::vector<NodeId> slots, NodeId node) {
    HostNames hosts(path);
    hosts.belong_to(machine, slots);
    return hosts.of(node);
  };
  CHECK(name({0, 1, 2, 3}, 3) == "d");  // both ways
  CHECK(name({4, 3, 2, 1}, 1) == "d");
  CHECK(name({3, 2, 1}, 1) == "b");
  CHECK_THAT(error_of([&] {
               name({3, 2, 1, 0}, 0);
             }),
             Catch::Contains("its 4 hosts may be those of the nodes 0 to 3, or of the job's nodes"));
}

TEST_CASE("Host names are read from a file") {
  const test::Scratch scratch;
  const HostNames hosts(scratch.write("hosts", "# rack 1\nlogin\n\n c1-0 \nc1-1\n"));
  CHECK(hosts.of(0) == "login");
  CHECK(hosts.of(2) == "c1-1");
  CHECK(error_of([&] {
          HostNames(scratch.write("twice", "a\nb\na\n"));
        }).ends_with("twice:3: the host 'a' is listed twice; expected one for each node"));
  CHECK(error_of([&] { hosts.of(3); }).ends_with("hosts: found 3 hosts, expected one for node 3 too"));
  CHECK(error_of([&] {
          HostNames{scratch.write("bad", "a\nb c\n")};
        }).ends_with("bad:2: found 'b c', expected one host name"));
  CHECK(error_of([&] { HostNames{scratch.write("empty", "")}; }).find("is empty") != std::string::npos);
  CHECK(error_of([&] { HostNames{scratch.path("")}; }).find("is a directory") != std::string::npos);
}

}  // namespace
}  // namespace toroid::mapping
