#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "tests/support/support.hpp"

using namespace toroid;
using test::check_fails;
using test::content;
using test::json_of;
using test::run_toroid;

TEST_CASE("map prints how good a mapping is") {
  const auto r = run_toroid("map mesh:8x8 stencil:grid=4x4x4,bytes=64KiB --map consecutive");
  CHECK(r.exit_code == 0);
  CHECK(r.err.empty());
  CHECK_THAT(r.out, Catch::Contains("2.444 per byte, at most 5") && Catch::Contains("at most 5.243 MB") &&
                        Catch::Contains("cost td"));
}

TEST_CASE("map and simulate say which grid the mapper found, and refuse where there is none") {
  const std::string note = "mj: the traffic looks like 4x4, 100 % of bytes";
  for (const std::string command : {"map", "simulate"}) {
    const auto run = command + " mesh:4x4 stencil:grid=4x4,bytes=1MiB --map mj";
    CHECK_THAT(run_toroid(run).out, Catch::Contains("mapper         " + note + "\n"));
    CHECK(core::Json::parse(run_toroid(run + " --json -").out)["notes"] == core::Json::array({note}));
    test::check_fails(command + " mesh:4x4 ft:class=S,ranks=16,iterations=1 --map mj", 2,
                      "found no grid in the traffic");
  }
  CHECK_FALSE(
      core::Json::parse(run_toroid("map mesh:4x4 stencil:grid=4x4 --map hilbert --json -").out).contains("notes"));
}

TEST_CASE("Without a mapper map takes auto, and says what it tried", "[slow]") {
  const std::string job = "map mesh:4x4 cg:class=S,ranks=16,iterations=1";
  const auto text = run_toroid(job).out;
  CHECK_THAT(text, Catch::Contains("16 ranks on mesh:4x4, map auto\n") &&
                       Catch::Contains("mapper         multilevel: ") && Catch::Contains("mapper         auto takes "));
  const auto json = json_of(job + "");
  CHECK(json["manifest"]["map"] == "auto");
  CHECK(json["notes"].size() > 4);
  for (const auto& note : json["notes"]) CHECK_THAT(text, Catch::Contains(note.get<std::string>()));
  CHECK(json["mapping"] == json_of(job + " --map auto")["mapping"]);
}

TEST_CASE("map reports what simulate reports") {
  for (const std::string job :
       {"mesh:4x4 stencil:grid=4x4,steps=3 --map random --seed 3",
        "torus:2x2x2,cores=2 cg:class=S,ranks=16,iterations=1 --map "
        "grasp:cost=td --ranks-per-node 2",
        "ring:4x5,injection=1GBps cg:class=S,ranks=16,iterations=1 --map random --nodes 3-18"}) {
    const auto mapped = json_of("map " + job + "");
    for (const char* engine : {"fluid", "simgrid"}) {
      const auto run = json_of("simulate " + job + " --engine " + engine);
      for (const auto& [name, value] : mapped.items())
        if (run.contains(name) && name != "manifest" && name != "messages" && name != "bytes") {
          INFO(job << " " << name);
          CHECK(value == run[name]);
        }
      for (std::size_t rank = 0; rank < 16; ++rank) CHECK(mapped["mapping"][rank] == run["ranks"][rank]["node"]);
    }
  }
}

TEST_CASE("simulate reads the mapping that map wrote") {
  const test::Scratch scratch;
  const auto file = scratch.path("cg.map");
  REQUIRE(run_toroid("map torus:4x4x2 cg:class=S,ranks=16,iterations=1 --map grasp:cost=td,iterations=3 --seed 9 -o " +
                     file)
              .exit_code == 0);
  const auto direct =
      json_of("simulate torus:4x4x2 cg:class=S,ranks=16,iterations=1 --map grasp:cost=td,iterations=3 --seed 9");
  const auto read = json_of("simulate torus:4x4x2 cg:class=S,ranks=16,iterations=1 --map " + file);
  CHECK(direct["ranks"] == read["ranks"]);
}

TEST_CASE("standard output holds the mapping alone, or the metrics alone") {
  CHECK(run_toroid("map mesh:4 stencil:grid=3 --map consecutive -o -").out == "0\n1\n2\n");
  CHECK(run_toroid("map mesh:4,cores=2 stencil:grid=3 --map consecutive --ranks-per-node 2 --nodes 2-3 -o - --format "
                   "openmpi --hosts 'nid{:04}'")
            .out == "rank 0=nid0002 slot=0\nrank 1=nid0002 slot=1\nrank 2=nid0003 slot=0\n");
  check_fails("map mesh:4 stencil:grid=3 --map consecutive -o - --json -", 2, "given for two outputs");
}

TEST_CASE("the same map command gives the same bytes") {
  const std::string command = "map torus:4x4 cg:class=S,ranks=16,iterations=1 --map grasp --seed 5 --json -";
  CHECK(run_toroid(command).out == run_toroid(command).out);
}

TEST_CASE("the matrix that counts is an option of map") {
  const auto all = json_of("map mesh:2x2 stencil:grid=2x2,steps=1 --map consecutive");
  const auto p2p = json_of("map mesh:2x2 stencil:grid=2x2,steps=1 --map consecutive --matrix p2p");
  CHECK(p2p["messages"] == 8);
  CHECK(all["messages"] > 8);
  CHECK(p2p["manifest"]["matrix"] == "p2p");
}

TEST_CASE("bad arguments of map: one clear line, exit code 2") {
  check_fails("map mesh:2x2 stencil:grid=4x4 --map consecutive", 2, "16 ranks do not fit on 4 slots");
  check_fails("map mesh:2x2 stencil:grid=2x2 --map consecutive --format lsf", 2,
              "unknown format 'lsf'; valid: nodes, openmpi");
  check_fails("map mesh:2x2 stencil:grid=2x2 --map consecutive --format openmpi --hosts node", 2,
              "hosts 'node': no such file; expected one, or a host name with one {}");
  check_fails("map mesh:2x2 stencil:grid=2x2 --map consecutive --nodes 0-4", 2, "node 4 does not exist");
  check_fails("map mesh:2x2 stencil:grid=2x2 --map consecutive --ranks-per-node 2", 2,
              "--ranks-per-node: 2 ranks per node");
  check_fails("map mesh:2x2 stencil:grid=2x2 --map consecutive -o /no/such/folder/x", 2, "cannot be written");
  check_fails("map mesh:4x4 stencil:grid=2x2 --map random --seed 1 --format mpich -o -", 2, "format mpich: found");
}

TEST_CASE("Open MPI takes its rank file") {
  if (std::system("command -v mpirun >/dev/null") != 0) {
    WARN("skipped: there is no mpirun");
    return;
  }
  const test::Scratch scratch;
  REQUIRE(std::system(("hostname >" + scratch.path("hosts")).c_str()) == 0);
  const auto file = scratch.path("rankfile");
  REQUIRE(run_toroid("map mesh:1 stencil:grid=1 --map consecutive --format openmpi -o " + file + " --hosts " +
                     scratch.path("hosts"))
              .exit_code == 0);
  const auto command = "timeout 30 mpirun --allow-run-as-root --rankfile " + file +
                       " -np 1 --report-bindings true >/dev/null 2>" + scratch.path("said");
  const int status = std::system(command.c_str());
  INFO(content(scratch.path("said")));
  CHECK(status == 0);
  CHECK_THAT(content(scratch.path("said")), Catch::Contains("rank 0 bound to socket 0[core 0"));
}

TEST_CASE("map takes the matrices that trace matrix writes") {
  const test::Scratch scratch;
  const std::string trace = "namd:ranks=16,steps=1";
  const auto from_trace = json_of("map mesh:4x4 " + trace + " --map grasp:cost=td,iterations=2");
  for (const std::string format : {"table", "list"}) {
    const auto file = scratch.path("m.csv");
    REQUIRE(run_toroid("trace matrix " + trace + " --format " + format + " -o " + file).exit_code == 0);
    const auto json = json_of("map mesh:4x4 " + file + " --map grasp:cost=td,iterations=2");
    INFO(format);
    for (const char* name : {"mapping", "bytes", "hop_bytes", "costs", "max_link_load_bytes", "mean_link_load_bytes",
                             "links_used", "dilation_max"})
      CHECK(json[name] == from_trace[name]);
    if (format == "list") CHECK(json["dilation_mean"] == from_trace["dilation_mean"]);
    CHECK(json["manifest"]["inputs"][0]["file"] == file);
  }
}

TEST_CASE("bad matrices: one clear line, exit code 2") {
  const test::Scratch scratch;
  const auto fails = [&](const std::string& name, const std::string& text, const std::string& message) {
    check_fails("map mesh:4x4 " + scratch.write(name, text) + " --map consecutive", 2, message);
  };
  fails("a.csv", "0,nan\n1,0\n", "a.csv:1: found 'nan', expected a whole number");
  fails("b.csv", "", "the matrix is empty");
  fails("c.graph", "900000000 1\n", "c.graph:1: found '900000000'");
  fails("d.csv", std::string("\0\1\2\3", 4), "', expected numbers, or the header");
  const auto packed = test::zstd_compressed("0,1\n1,0\n");
  fails("e.csv.zst", packed.substr(0, packed.size() - 3), "truncated");
  check_fails("map mesh:4x4 " + scratch.path("") + " --map consecutive", 2, "is a directory");
  check_fails("map mesh:4x4 " + scratch.path("none.csv") + " --map consecutive", 2, "no such file");
  const auto good = scratch.write("good.csv", "0,1\n1,0\n");
  check_fails("map mesh:4x4 " + good + " --map consecutive --matrix p2p", 2, "is a matrix (table) already");
  check_fails("simulate mesh:4x4 " + good, 2, "is a communication matrix (table); expected a trace");
  check_fails("map mesh:1 " + good + " --map consecutive", 2, "2 ranks do not fit on 1 slots");
  check_fails("trace matrix stencil:grid=2 --messages --format list", 2, "--messages: expected --format table");
  check_fails("trace matrix stencil:grid=2 --format xml", 2,
              "unknown matrix format 'xml'; valid: metis, qaplib, list, table");
}

TEST_CASE("a mapper that simulates works for map, simulate and compare alike, and needs a trace", "[slow]") {
  const std::string mapper = "simulated:base=random,candidates=2,runs=15", trace = "cg:class=S,ranks=16,iterations=1";
  const auto run = json_of("simulate mesh:4x4 " + trace + " --engine fluid --seed 2 --map " + mapper);
  const auto mapped = json_of("map mesh:4x4 " + trace + " --seed 2 --map " + mapper);
  for (std::size_t rank = 0; rank < 16; ++rank) CHECK(mapped["mapping"][rank] == run["ranks"][rank]["node"]);
  const auto study =
      "compare mesh:4x4 --trace " + trace + " --repeat 2 --json - --map random " + mapper + " --workers ";
  const auto one = run_toroid(study + "1");
  CHECK(one.exit_code == 0);
  CHECK(one.out == run_toroid(study + "3").out);
  const auto whole = core::Json::parse(one.out);
  for (const auto& row : whole["rows"])
    if (row["map"] == mapper && row["seed"] == 2) CHECK(row["runtime_s"] == run["runtime_s"]);
  const test::Scratch scratch;
  const auto matrix = scratch.write("m.csv", "0,1\n1,0\n");
  check_fails("map mesh:4x4 " + matrix + " --map simulated", 2, "expected a trace to simulate");
}

TEST_CASE("An interrupt ends the search of map, which prints and writes the best mapping until then") {
  const test::Scratch scratch;
  const auto file = scratch.path("nodes.txt");
  REQUIRE(test::run_interrupted("map torus:4x4x4 stencil:grid=4x4x4 --map anneal:sweeps=100000000 -o " + file +
                                " --json " + scratch.path("result.json")) == 0);
  const auto result = core::Json::parse(content(scratch.path("result.json")));
  CHECK_THAT(result["notes"].back().get<std::string>(), Catch::StartsWith("interrupted: the best mapping"));
  CHECK(run_toroid("map torus:4x4x4 stencil:grid=4x4x4 --map " + file).exit_code == 0);
}

TEST_CASE("map takes a mesh of named axes, and needs no trace then") {
  const auto slice = json_of("map tpu-v6e:8x16 --mesh data=16,model=8 --map jax");
  CHECK(slice["manifest"]["map"] == "jax:mesh=16x8");
  CHECK(slice["manifest"]["mesh"] == "data=16,model=8");
  CHECK(slice["manifest"]["trace"] == "sharded:mesh=16x8");
  CHECK(slice["mapping"][1] == 1);  // the last axis is along x
  CHECK(slice["mapping"][8] == 8);
  const auto ids = run_toroid("map tpu-v5e:2x2 --mesh data=4 --map jax --format jax -o -");
  CHECK(ids.out == "[0, 1, 3, 2]\n");
  CHECK(json_of("map torus:4x4 sharded:mesh=4x4 --mesh a=4,b=4 --map consecutive")["manifest"]["map"] == "consecutive");
  check_fails("map torus:4x4 --map jax", 2, "expected a TRACE, or the axes of a mesh");
  check_fails("map torus:4x4 --mesh 4x4 --map jax", 2, "--mesh 4x4: found '4x4', expected axes with their sizes");
  check_fails("map torus:4x4 --mesh a=x --map jax", 2, "--mesh a=x: found 'a=x', expected axes with their sizes");
  check_fails("map torus:4x4 --mesh a=0,b=4 --map jax", 2, "--mesh a=0,b=4: found 'a=0', expected axes");
  check_fails("map torus:4x4 --mesh a=4,b=4 --map jax:mesh=4x4", 2, "--mesh: 'jax:mesh=4x4' has a mesh");
  check_fails("map tpu-v5e:4x4 --mesh a=2,b=8 --map jax", 2, "no whole axes of 4x4 are left for its axis 2 of 8");
}
