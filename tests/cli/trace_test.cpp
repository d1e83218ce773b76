#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/support.hpp"

using namespace toroid;
using test::run_toroid;

TEST_CASE("trace matrix converts matrices") {
  const test::Scratch scratch;
  const std::string text = "0,5,0\n5,0,9\n0,9,0\n";  // as graphs know no direction
  auto path = scratch.write("m.csv", text);
  for (const std::string format : {"metis", "list", "qaplib", "table"}) {
    const auto next = scratch.path(format == "qaplib"  ? "m.dat"
                                   : format == "table" ? "m2.csv"
                                   : format == "metis" ? "m.graph"
                                                       : "m." + format);
    REQUIRE(test::run_toroid("trace matrix " + path + " --format " + format + " -o " + next).exit_code == 0);
    path = next;
  }
  CHECK(test::content(path) == text);
  test::check_fails("trace matrix " + path + " --matrix p2p", 2, "is a matrix (table) already");
}

TEST_CASE("trace info counts what is in a trace") {
  const test::Scratch scratch;
  const auto trace = scratch.write("t.ti", "0 send 1 0 100 6\n0 compute 5\n1 recv 0 0 100 6\n1 compute 7\n");
  const auto json = core::Json::parse(run_toroid("trace info " + trace + " --json -").out);
  CHECK(json["ranks"] == 2);
  CHECK(json["messages"] == 1);
  CHECK(json["bytes"] == 100);
  CHECK(json["bytes_per_message"] == 100);
  CHECK(json["flops"] == 12);
  CHECK(json["operations_by_kind"]["compute"] == 2);
  const auto table = run_toroid("trace info " + trace);
  CHECK_THAT(table.out, Catch::Contains("ranks       2") && Catch::Contains("partners"));
}

TEST_CASE("trace info tells what ranks hand in to collectives, and measured time as time") {
  const test::Scratch scratch;
  // Two ranks: a message of 10 at the root, two blocks of 3 and 2 x 4 for both, vectors of 5.
  std::string text;
  for (const char* rank : {"0", "1"})
    for (const char* call : {" bcast 10 1 6", " alltoall 3 4 6 6", " allreduce 5 0 6", " barrier"})
      text += std::string(rank) + call + "\n";
  const auto trace = scratch.write("t.ti", text);
  CHECK(test::json_of("trace info " + trace)["collective_bytes"] ==
        core::Json{{"barrier", 0}, {"bcast", 10}, {"allreduce", 10}, {"alltoall", 12}});
  CHECK_THAT(run_toroid("trace info " + trace).out, Catch::Contains("alltoall                  2, 12 B handed in\n") &&
                                                        Catch::Contains("barrier                   2\n"));
  const auto timed = scratch.write("timed", "toroid trace 4\nranks 1\ncomputation timed\nrank 0\nc2000000\nend\n");
  CHECK_THAT(run_toroid("trace info " + timed).out, Catch::Contains("compute     2 ms of all ranks, as measured\n"));
}

TEST_CASE("trace matrix prints bytes from row to column") {
  const test::Scratch scratch;
  const auto trace = scratch.write("t.ti", "0 send 1 0 100 6\n0 bcast 8 0 6\n1 recv 0 0 100 6\n1 bcast 8 0 6\n");
  CHECK(run_toroid("trace matrix --matrix p2p " + trace).out == "0,100\n0,0\n");
  CHECK(run_toroid("trace matrix " + trace).out == "0,108\n0,0\n");
  CHECK(run_toroid("trace matrix --messages " + trace).out == "0,2\n0,0\n");
  CHECK(run_toroid("trace matrix --matrix all " + trace).exit_code == 2);
}

TEST_CASE("trace matrix draws, and prints too only if a file is named") {
  const test::Scratch scratch;
  const auto picture = scratch.path("m.svg"), table = scratch.path("m.csv");
  CHECK(run_toroid("trace matrix stencil:grid=2 --svg " + picture).out.empty());
  CHECK_THAT(test::content(picture), Catch::Contains("0 to 1: "));
  CHECK(run_toroid("trace matrix stencil:grid=2 -o " + table + " --svg " + picture).exit_code == 0);
  CHECK_THAT(test::content(table), Catch::StartsWith("0,"));
  test::check_fails("trace matrix stencil:grid=2 --svg " + scratch.path("m.png"), 2, "pictures are SVG");
}

TEST_CASE("trace info says how many iterations there are") {
  const auto json = core::Json::parse(run_toroid("trace info cg:class=S,ranks=4,iterations=2 --json -").out);
  CHECK(json["begins"] == "cg:class=S,ranks=4,iterations=2 (2 of 15 iterations) operation 0");
}

TEST_CASE("a converted trace runs as long as its origin") {
  const test::Scratch scratch;
  const std::string generator = "stencil:grid=2x2,steps=3";
  for (const char* form : {"t.ti", "t.ti.zst", "top --per-rank"}) {
    REQUIRE(run_toroid("trace convert " + generator + " -o " + scratch.path(form)).exit_code == 0);
    const auto file = scratch.path(std::string(form).substr(0, std::string(form).find(' ')));
    const auto converted = core::Json::parse(run_toroid("simulate mesh:2x2 " + file + " --json -").out);
    const auto generated = core::Json::parse(run_toroid("simulate mesh:2x2 " + generator + " --json -").out);
    CHECK(converted["runtime_s"] == generated["runtime_s"]);
  }
}

TEST_CASE("the largest trace takes at most 24 bytes an operation") {
  const auto path = test::shared_data("traces/lu.A.64/trace.ti.zst");
  if (path.empty()) return;
  const auto json = core::Json::parse(run_toroid("trace info " + path + " --json -").out);
  CHECK(json["messages"] == 3542924);
  CHECK(json["memory_bytes_per_operation"].get<double>() < 24);
}

TEST_CASE("trace diff says by its exit code whether two traces have the same operations") {
  const test::Scratch scratch;
  const auto a = scratch.write("a.ti", "0 compute 100\n0 send 1 0 100 6\n1 recv 0 0 100 6\n");
  const auto b = scratch.write("b.ti", "0 compute 104\n0 send 1 0 100 6\n1 recv 0 0 200 6\n");
  const auto c = scratch.write("c.ti", "0 send 1 7 100 6\n1 recv 0 7 100 6\n");
  const auto d = scratch.write("d.ti", "0 barrier\n");
  CHECK(run_toroid("trace diff " + a + " " + b).exit_code == 0);
  CHECK(run_toroid("trace diff " + a + " " + b + " --computation 5").exit_code == 0);
  const auto computation = run_toroid("trace diff " + a + " " + b + " --computation 3");
  CHECK(computation.exit_code == 1);
  CHECK(computation.out == "rank 0\n  - compute 100  (" + a + ":1)\n  + compute 104  (" + b + ":1)\n");
  CHECK_THAT(computation.err, Catch::Contains("the traces differ: 1 of 2 ranks"));
  CHECK(run_toroid("trace diff " + a + " " + c).exit_code == 1);
  CHECK(run_toroid("trace diff " + a + " " + c + " --ignore-tags").exit_code == 0);
  CHECK_THAT(run_toroid("trace diff " + a + " " + d).err, Catch::Contains("one of 2 ranks and one of 1"));
  CHECK(run_toroid("trace diff " + a + " nothing").exit_code == 2);
}

TEST_CASE("trace info says which grid the messages go along, or why none") {
  const auto found = core::Json::parse(run_toroid("trace info stencil:grid=8x8x4,periodic=yes --json -").out)["grid"];
  CHECK(found["extents"] == core::Json{8, 8, 4});
  CHECK(found["periodic"] == core::Json{true, true, true});
  CHECK(found["near_bytes"] == 1);
  CHECK_THAT(run_toroid("trace info stencil:grid=5x3").out,
             Catch::Contains("grid        looks like 5x3, 100 % of bytes\n"));
  CHECK_THAT(run_toroid("trace info ft:class=S,ranks=4").out,
             Catch::Contains("grid        none: no rank talks to another\n"));
}
