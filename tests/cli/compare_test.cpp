#include <fmt/format.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/file.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::content;
using test::run_toroid;

namespace {

constexpr const char* study =
    "compare mesh:4x4 torus:4x4 --trace cg:ranks=16,steps=2 stencil:grid=4x4 --map consecutive random --repeat 3";

}  // namespace

TEST_CASE("compare prints a table and writes a row per run") {
  const test::Scratch scratch;
  const auto r = run_toroid(std::string(study) + " --csv " + scratch.path("out.csv"));
  CHECK(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::StartsWith("machine") && Catch::Contains("stencil:grid=4x4"));
  const auto csv = content(scratch.path("out.csv"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 2 * (1 + 3));
  CHECK_FALSE(std::filesystem::exists(scratch.path("out.csv.journal")));
}

TEST_CASE("the number of workers does not change a byte") {
  CHECK(run_toroid(std::string(study) + " --jobs 1 --json -").out ==
        run_toroid(std::string(study) + " --jobs 4 --json -").out);
}

TEST_CASE("a run of a study is the run that simulate makes") {
  const auto rows = core::Json::parse(run_toroid(std::string(study) + " --json -").out)["rows"];
  const auto single = core::Json::parse(
      run_toroid("simulate mesh:4x4 cg:ranks=16,steps=2 --engine fluid --map random --seed 2 --json -").out);
  for (const auto& row : rows)
    if (row["platform"] == "mesh:4x4" && row["trace"] == "cg:ranks=16,steps=2" && row["map"] == "random" &&
        row["repetition"] == 1)
      CHECK(row["runtime_s"] == single["runtime_s"]);
}

TEST_CASE("a stopped study goes on where it stopped") {
  const test::Scratch scratch;
  const auto command = std::string(study) + " --no-verify --csv " + scratch.path("out.csv");
  REQUIRE(run_toroid(command).exit_code == 0);
  const auto whole = content(scratch.path("out.csv"));
  std::filesystem::remove(scratch.path("out.csv"));
  // A run that fails costs itself alone: the others are in the journal.
  const auto trace = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const auto failing = "compare mesh:2 --trace " + trace + " stencil:grid=2 --map consecutive --no-verify --csv " +
                       scratch.path("f.csv");
  const auto r = run_toroid(failing);
  CHECK(r.exit_code == 1);
  CHECK_THAT(r.err, Catch::Contains("1 of 2 runs failed, the first on mesh:2 with " + trace +
                                    ", map consecutive, repetition 0: ") &&
                        Catch::Contains("deadlock"));
  CHECK_THAT(content(scratch.path("f.csv")), Catch::Contains("deadlock: 2 of 2"));
  const auto journal = content(scratch.path("f.csv.journal"));
  CHECK(std::count(journal.begin(), journal.end(), '\n') == 2);
  // An unfinished line at the end of a journal is dropped; another study's journal is refused.
  std::ofstream(scratch.path("f.csv.journal"), std::ios::app) << "{\"task\": 1, \"res";
  CHECK(run_toroid(failing).exit_code == 1);
  CHECK_THAT(run_toroid(failing + " --seed 9").err, Catch::Contains("belongs to a study with other settings"));
  REQUIRE(run_toroid(command).exit_code == 0);
  CHECK(content(scratch.path("out.csv")) == whole);
}

TEST_CASE("what is known from a journal is not run again") {
  const test::Scratch scratch;
  const auto command =
      "compare mesh:2 --trace stencil:grid=2 --map consecutive --no-verify --csv " + scratch.path("o.csv");
  // A failing second trace keeps the journal; its known result is then changed and must come out unchanged.
  const auto trace = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const auto failing = command + " --trace " + trace;
  REQUIRE(run_toroid(failing).exit_code == 1);
  const auto journal = content(scratch.path("o.csv.journal"));
  const auto second = journal.find('\n') + 1;
  auto line = journal.substr(journal.find(' ', second) + 1);
  line.pop_back();
  const auto at = line.find("\"runtime_s\":");
  REQUIRE(at != std::string::npos);
  line.replace(at, line.find(',', at) - at, "\"runtime_s\":123.5");
  scratch.write("o.csv.journal",
                journal.substr(0, second) + core::sha256_of_text(line).substr(0, 16) + " " + line + "\n");
  REQUIRE(run_toroid(failing).exit_code == 1);
  CHECK_THAT(content(scratch.path("o.csv")), Catch::Contains("123.5"));
}

TEST_CASE("compare gives verdicts and correlations, in words and as JSON") {
  const std::string command =
      "compare mesh:4x4 --trace stencil:grid=4x4 --map consecutive random --no-verify --repeat 8";
  const auto printed = run_toroid(command).out;
  CHECK_THAT(printed, Catch::Contains("consecutive is fastest (mean ") &&
                          Catch::Contains("better than random (p=0.0078); 8 runs each"));
  CHECK_THAT(printed, Catch::Contains("correlation with run time") && Catch::Contains("max_link_load_bytes"));
  const auto json = core::Json::parse(run_toroid(command + " --alpha 0.001 --json -").out);
  CHECK(json["manifest"]["alpha"] == 0.001);
  REQUIRE(json["statistics"].size() == 1);
  CHECK(json["statistics"][0]["pairs"][0]["conclusion"] == "too few runs");
  CHECK(json["correlations"][0]["metric"] == "hop_bytes");
  CHECK(json["summary"][1]["worst_s"] >= json["summary"][1]["mean_s"]);
  CHECK(run_toroid(command + " --alpha 2").exit_code == 2);
}

TEST_CASE("compare draws pictures, the same whatever the number of workers") {
  const test::Scratch scratch;
  const auto files = [&](const std::string& name) {
    return " --svg " + scratch.path(name + ".svg") + " --html " + scratch.path(name + ".html");
  };
  REQUIRE(run_toroid(std::string(study) + " --jobs 1" + files("a")).exit_code == 0);
  REQUIRE(run_toroid(std::string(study) + " --jobs 4" + files("b")).exit_code == 0);
  for (const char* ending : {".svg", ".html"}) {
    CHECK(content(scratch.path("a") + ending) == content(scratch.path("b") + ending));
    CHECK_THAT(content(scratch.path("a") + ending), Catch::Contains("stencil:grid=4x4") && Catch::Contains("<svg"));
  }
  CHECK_THAT(run_toroid(std::string(study) + " --svg /no/such/folder/x.svg").err, Catch::Contains("cannot be written"));
}

TEST_CASE("runs that failed are gaps in the picture") {
  const test::Scratch scratch;
  const auto trace = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const auto r = run_toroid("compare mesh:2 --trace " + trace + " stencil:grid=2 --map consecutive --no-verify --svg " +
                            scratch.path("x.svg") + " --html " + scratch.path("x.html"));
  CHECK(r.exit_code == 1);
  CHECK_THAT(r.out, Catch::Contains("all runs failed"));
  CHECK_THAT(content(scratch.path("x.svg")), Catch::Contains("1 run failed and is left out"));
  CHECK_THAT(content(scratch.path("x.html")), Catch::Contains("all runs failed"));
}

TEST_CASE("a study can be of a fragmented job, as in simulate") {
  const std::string options = " --map random --nodes 0-3,9,11,13,15 --ranks-per-node 2 --no-verify --json -";
  const auto command = "compare mesh:4x4,cores=2 torus:4x4,cores=2 --trace cg:ranks=16,steps=2" + options;
  const auto json = core::Json::parse(run_toroid(command).out);
  CHECK(json["manifest"]["nodes"] == "0-3,9,11,13,15");
  CHECK(json["manifest"]["ranks_per_node"] == 2);
  const auto single =
      core::Json::parse(run_toroid("simulate torus:4x4,cores=2 cg:ranks=16,steps=2 --engine fluid --map random "
                                   "--nodes 0-3,9,11,13,15 --ranks-per-node 2 --json -")
                            .out);
  CHECK(json["rows"][1]["runtime_s"] == single["runtime_s"]);
  CHECK_THAT(run_toroid("compare mesh:4x4 --trace cg:ranks=16 --nodes 0-3").err,
             Catch::Contains("16 ranks do not fit on 4 slots of mesh:4x4"));
  CHECK_THAT(run_toroid("compare mesh:4x4 mesh:2x2 --trace stencil:grid=2x2 --nodes 4-7").err,
             Catch::Contains("node 4 does not exist; mesh:2x2 has nodes 0 to 3"));
}

TEST_CASE("bad studies are refused") {
  CHECK(run_toroid("compare mesh:2x2 --trace stencil:grid=4x4").exit_code == 2);
  CHECK(run_toroid("compare mesh:2x2").exit_code == 2);
  CHECK(run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 --map nonsense").exit_code == 2);
  CHECK(run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 --repeat 0").exit_code == 2);
  // What does not fit is found before the study, also below other mappers.
  const test::Scratch scratch;
  const auto file = scratch.write("short.map", "0\n1\n");
  for (const auto& map : std::vector<std::string>{"geom:grid=3x3", "refine:base=(gsearch:grid=3x3)",
                                                  "simulated:base=(mj:grid=3x3)", file}) {
    const auto r = run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 --map random '" + map + "' --csv " +
                              scratch.path("out.csv"));
    CAPTURE(map);
    CHECK(r.exit_code == 2);
    CHECK_THAT(r.err, Catch::Contains(map == file ? "found nodes for 2 ranks" : "the grid has 9 places, expected 4"));
    CHECK_FALSE(std::filesystem::exists(scratch.path("out.csv.journal")));
  }
  CHECK(run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 --csv - --json -").exit_code == 2);
  CHECK_THAT(run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 --map random random").err,
             Catch::Contains("'random' is given twice"));
}

TEST_CASE("a study under mpirun gives the same bytes") {
  if (std::system("command -v mpirun >/dev/null") != 0) {
    WARN("skipped: there is no mpirun");
    return;
  }
  const test::Scratch scratch;
  const auto command =
      std::string("ASAN_OPTIONS=detect_leaks=0 timeout 60 mpirun --allow-run-as-root --oversubscribe -np 3 ") +
      TOROID_COMMAND + " " + study + " --jobs 1 --json " + scratch.path("mpi.json") + " >/dev/null 2>" +
      scratch.path("err");
  const int status = std::system(command.c_str());
  INFO(content(scratch.path("err")));
  REQUIRE(status == 0);
  CHECK(content(scratch.path("mpi.json")) == run_toroid(std::string(study) + " --jobs 2 --json -").out);
}

TEST_CASE("ranks may have different numbers of workers") {
  if (std::system("command -v mpirun >/dev/null") != 0) return;
  const test::Scratch scratch;
  const auto plain = run_toroid(std::string(study) + " --jobs 2 --json -").out;
  for (const auto& [first, second] : {std::pair{1, 3}, std::pair{3, 1}}) {
    const auto rank = [&](int jobs) {
      return fmt::format("-np 1 {} {} --jobs {} --json {}", TOROID_COMMAND, study, jobs, scratch.path("mpi.json"));
    };
    const auto command = fmt::format(
        "ASAN_OPTIONS=detect_leaks=0 timeout 60 mpirun --allow-run-as-root --oversubscribe {} : {} >/dev/null 2>&1",
        rank(first), rank(second));
    REQUIRE(std::system(command.c_str()) == 0);
    CHECK(content(scratch.path("mpi.json")) == plain);
  }
}

TEST_CASE("a study that cannot be written is refused before it runs, under mpirun too") {
  const auto plain = run_toroid(std::string(study) + " --csv /no/such/folder/x.csv");
  CHECK(plain.exit_code == 2);
  CHECK_THAT(plain.err, Catch::Contains("cannot be written"));
  if (std::system("command -v mpirun >/dev/null") != 0) return;
  const auto command =
      std::string("ASAN_OPTIONS=detect_leaks=0 timeout 30 mpirun --allow-run-as-root --oversubscribe -np 2 ") +
      TOROID_COMMAND + " " + study + " --csv /no/such/folder/x.csv >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 2);
}

TEST_CASE("what cannot run is refused before anything runs") {
  const test::Scratch scratch;
  const auto map = scratch.write("short.map", "0\n1\n");
  for (const std::string& wrong : {std::string("--engine nope"), std::string("--engine fluid:foo=1"), "--map " + map,
                                   std::string("--jobs -1"), std::string("--seed -1")}) {
    INFO(wrong);
    CHECK(run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 " + wrong).exit_code == 2);
  }
}

TEST_CASE("a trace that changes changes the study") {
  const test::Scratch scratch;
  const auto part = scratch.write("r0.ti", "0 compute 5\n");
  const auto top = scratch.write("top", "r0.ti\n" + scratch.write("r1.ti", "1 recv 0 0 8 6\n") + "\n");
  const auto command =
      "compare mesh:2 --trace " + top + " --map consecutive --no-verify --csv " + scratch.path("o.csv");
  CHECK(run_toroid(command).exit_code == 1);  // a deadlock: the journal stays
  scratch.write("r0.ti", "0 send 1 0 8 6\n");
  CHECK_THAT(run_toroid(command).err, Catch::Contains("belongs to a study with other settings or inputs"));
}

TEST_CASE("a file that is no journal is left alone") {
  const test::Scratch scratch;
  scratch.write("o.csv.journal", "my notes\n");
  const auto r = run_toroid("compare mesh:2 --trace stencil:grid=2 --map consecutive --csv " + scratch.path("o.csv"));
  CHECK(r.exit_code == 2);
  CHECK(content(scratch.path("o.csv.journal")) == "my notes\n");
}
