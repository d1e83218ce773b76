// A study: what compare tells of times, verdicts, engines and gains, and what it refuses.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/cli/small_study.hpp"
#include "tests/support/support.hpp"
#include "tests/views/pictures.hpp"

using namespace toroid;
using test::content;
using test::run_toroid;

TEST_CASE("compare prints a table and writes a row per run") {
  const test::Scratch scratch;
  const auto r = run_toroid(test::small_study + " --csv " + scratch.path("out.csv"));
  CHECK(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::StartsWith("machine") && Catch::Contains("stencil:grid=4x4"));
  const auto csv = content(scratch.path("out.csv"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 2 * (1 + 3));
}

TEST_CASE("a run of a study is the run that simulate makes") {
  const auto rows = core::Json::parse(run_toroid(test::small_study + " --json -").out)["rows"];
  const auto single = core::Json::parse(
      run_toroid("simulate mesh:4x4 cg:class=S,ranks=16,iterations=1 --engine fluid --map random --seed 2 --json -")
          .out);
  std::size_t found = 0;
  for (const auto& row : rows)
    if (row["platform"] == "mesh:4x4" && row["trace"] == "cg:class=S,ranks=16,iterations=1" && row["map"] == "random" &&
        row["repetition"] == 1) {
      CHECK(row["runtime_s"] == single["runtime_s"]);
      ++found;
    }
  CHECK(found == 1);
}

TEST_CASE("a folder with one trace is a trace") {
  const test::Scratch scratch;
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory(scratch.path(name));
    scratch.write(std::string(name) + "/trace.ti", "0 send 1 0 8 6\n1 recv 0 0 8 6\n");
    scratch.write(std::string(name) + "/matrix.csv", "0,8\n0,0\n");
  }
  const auto r = run_toroid("compare mesh:2 --trace " + scratch.path("a") + " " + scratch.path("b") +
                            " --map consecutive --no-verify");
  CHECK(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("mesh:2   a      consecutive") && Catch::Contains("mesh:2   b      consecutive"));
  scratch.write("a/other.ti", "");
  test::check_fails("simulate mesh:2 " + scratch.path("a"), 2, "is a directory with 2 files *.ti, *.ti.gz or *.ti.zst");
}

TEST_CASE("verdicts wrap at the width of the terminal") {
  const auto r = run_toroid(test::small_study);
  const auto longest = [](const std::string& text) {
    std::size_t most = 0, begin = text.find("verdict");
    for (auto end = text.find('\n', begin); end != std::string::npos; end = text.find('\n', begin)) {
      if (text.substr(begin, end - begin).starts_with("correlation")) break;
      most = std::max(most, end - begin);
      begin = end + 1;
    }
    return most;
  };
  CHECK(longest(r.out) > 100);
  ::setenv("COLUMNS", "90", 1);
  const auto narrow = run_toroid(test::small_study);
  ::unsetenv("COLUMNS");
  CHECK(longest(narrow.out) <= 90);
  const auto words = [](std::string text) {
    text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; }), text.end());
    return text;
  };
  CHECK(words(narrow.out) == words(r.out));
}

TEST_CASE("compare gives verdicts and correlations, in words and as JSON") {
  const std::string command =
      "compare mesh:4x4 --trace stencil:grid=4x4 --map consecutive random --no-verify --repeat 8";
  const auto printed = run_toroid(command).out;
  CHECK_THAT(printed, Catch::Contains("consecutive is fastest (mean communication time ") &&
                          Catch::Contains("better than random (p=0.0078); 8 runs each"));
  CHECK_THAT(printed, Catch::Contains("correlation with communication time") && Catch::Contains("max_link_load_bytes"));
  const auto json = core::Json::parse(run_toroid(command + " --alpha 0.001 --json -").out);
  CHECK(json["manifest"]["alpha"] == 0.001);
  REQUIRE(json["statistics"].size() == 1);
  CHECK(json["statistics"][0]["pairs"][0]["conclusion"] == "too few runs");
  CHECK(json["correlations"][0]["metric"] == "hop_bytes");
  CHECK(json["summary"][1]["worst_s"] >= json["summary"][1]["mean_s"]);
  CHECK(run_toroid(command + " --alpha 2").exit_code == 2);
}

TEST_CASE("compare takes runs with the same lots for pairs") {
  // The same random mappings on both machines; on the one with fast links each is faster.
  const auto machines = run_toroid(
      "compare mesh:4x4 --what-if bandwidth=x1.02 --trace stencil:grid=4x4,bytes=1MB --map random --no-verify "
      "--repeat 8");
  CHECK_THAT(machines.out, Catch::Contains("is fastest") && Catch::Contains("(p=0.0078, paired by seed); 8 runs each"));
  // A mapping, and the local optimum below it.
  const auto mappers = core::Json::parse(
      run_toroid(
          "compare mesh:4x4 --trace stencil:grid=4x4,bytes=1MB --map random refine:base=random grasp --no-verify "
          "--repeat 8 --json -")
          .out);
  const auto& pairs = mappers["statistics"][0]["pairs"];
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0]["test"] == "signed_rank");
  CHECK(pairs[0]["paired_by"] == "seed");
  CHECK(pairs[0]["pairs"] == 8);
  CHECK(pairs[0]["difference_s"] > 0);
  CHECK(pairs[0]["difference_interval_s"].size() == 2);
  CHECK(pairs[1]["test"] == "mann_whitney");
  CHECK(pairs[1]["paired_by"].is_null());
}

TEST_CASE("compare asks other engines whether verdicts hold") {
  const std::string command =
      "compare mesh:4x4 --trace stencil:grid=4x4 --map consecutive random --repeat 8 --no-verify ";
  const auto printed = run_toroid(command + "--engines fluid packet");
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out, Catch::Contains("holds under packet") && Catch::Contains("yes"));
  const test::Scratch scratch;
  const auto json = core::Json::parse(
      run_toroid(command + "--engines fluid packet --json - --html " + scratch.path("page.html")).out);
  CHECK(json["statistics"][0]["holds_under"]["packet"] == "yes");
  CHECK_THAT(content(scratch.path("page.html")), Catch::Contains("holds under packet"));
  REQUIRE(json["opinions"].size() == 1);
  const auto& rows = json["opinions"][0]["rows"];
  REQUIRE(rows.size() == json["rows"].size());
  auto alone = core::Json::parse(run_toroid(command + "--engine packet --json -").out)["rows"];
  for (auto& row : alone) row["with_computation_s"] = nullptr;  // the first engine alone runs with computation
  CHECK(rows == alone);
  CHECK(run_toroid(command + "--engines fluid packet --engine fluid").exit_code == 2);
}

TEST_CASE("compare draws pictures, the same whatever the number of workers") {
  const test::Scratch scratch;
  const auto files = [&](const std::string& name) {
    return " --svg " + scratch.path(name + ".svg") + " --html " + scratch.path(name + ".html");
  };
  REQUIRE(run_toroid(test::small_study + " --workers 1" + files("a")).exit_code == 0);
  REQUIRE(run_toroid(test::small_study + " --workers 4" + files("b")).exit_code == 0);
  for (const char* ending : {".svg", ".html"}) {
    CHECK(content(scratch.path("a") + ending) == content(scratch.path("b") + ending));
    CHECK_THAT(content(scratch.path("a") + ending), Catch::Contains("stencil:grid=4x4") && Catch::Contains("<svg"));
  }
  CHECK_THAT(run_toroid(test::small_study + " --svg /no/such/folder/x.svg").err, Catch::Contains("cannot be written"));
}

TEST_CASE("the page of a comparison is whole: pictures, the tables of the screen, and nothing from elsewhere") {
  const test::Scratch scratch;
  const std::string hostile = "<script>\"&</script>";
  const auto command = "compare mesh:4x4 torus:4x4 --trace '" + hostile +
                       " := stencil:grid=4x4' --map consecutive random --repeat 8 --no-verify --html ";
  const auto r = run_toroid(command + scratch.path("x.html"));
  REQUIRE(r.exit_code == 0);
  const auto text = content(scratch.path("x.html"));
  const auto page = test::parsed(text);
  CHECK(page.select_nodes("//svg").size() == 1);
  CHECK(page.select_nodes("//script").empty());
  CHECK(page.select_node("//td[2]").node().text().get() == hostile);
  for (const char* foreign : {"src=", "href=", "url(", "@import"}) CHECK_THAT(text, !Catch::Contains(foreign));
  for (const char* expected : {"consecutive is fastest", "better than random (p=", "corrected (Holm)", "hop_bytes"})
    CHECK_THAT(text, Catch::Contains(expected));
  // The verdicts come first, then the tables in the order of the screen.
  CHECK(text.find("<h2>Verdicts") < text.find("<h2>Predicted "));
  CHECK(text.find("<h2>Predicted ") < text.find("<h2>Computation"));
  REQUIRE(run_toroid(command + scratch.path("x.html")).exit_code == 0);
  CHECK(content(scratch.path("x.html")) == text);
}

TEST_CASE("runs that failed are told by the picture") {
  const test::Scratch scratch;
  const auto trace = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const auto r = run_toroid("compare mesh:2 --trace " + trace + " stencil:grid=2 --map consecutive --no-verify --svg " +
                            scratch.path("x.svg") + " --html " + scratch.path("x.html"));
  CHECK(r.exit_code == 1);
  CHECK_THAT(r.out, Catch::Contains("nothing to compare stencil:grid=2 with") && Catch::Contains("deadlock.ti failed"));
  CHECK_THAT(content(scratch.path("x.svg")), Catch::Contains("1 run failed and is left out"));
  const auto page = content(scratch.path("x.html"));
  test::parsed(page);
  CHECK_THAT(page, Catch::Contains("deadlock.ti failed"));
}

TEST_CASE("a study can be of a fragmented job, as in simulate") {
  const std::string options = " --map random --nodes 0-3,9,11,13,15 --ranks-per-node 2 --no-verify --json -";
  const auto command = "compare mesh:4x4,cores=2 torus:4x4,cores=2 --trace cg:class=S,ranks=16,iterations=1" + options;
  const auto json = core::Json::parse(run_toroid(command).out);
  CHECK(json["manifest"]["nodes"] == "0-3,9,11,13,15");
  CHECK(json["manifest"]["ranks_per_node"] == 2);
  const auto single = core::Json::parse(
      run_toroid("simulate torus:4x4,cores=2 cg:class=S,ranks=16,iterations=1 --engine fluid --map random "
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

TEST_CASE("what cannot run is refused before anything runs") {
  const test::Scratch scratch;
  const auto map = scratch.write("short.map", "0\n1\n");
  for (const std::string& wrong : {std::string("--engine nope"), std::string("--engine fluid:foo=1"), "--map " + map,
                                   std::string("--workers -1"), std::string("--seed -1")}) {
    INFO(wrong);
    CHECK(run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 " + wrong).exit_code == 2);
  }
  // No engine is asked for what it cannot simulate, also after the first.
  for (const std::string engine : {"--engine packet:vcs=1", "--engines fluid packet:vcs=1"})
    test::check_fails("compare torus:4x4 --trace stencil:grid=4x4 " + engine, 2, "found vcs=1, expected 2 or more");
}

TEST_CASE("pictures are SVG files") {
  const test::Scratch scratch;
  test::check_fails(test::small_study + " --svg " + scratch.path("x.png"), 2, "found a name in .png, expected");
}

TEST_CASE("gains over a baseline are ratios with intervals, in words, JSON, HTML, Markdown and LaTeX") {
  const test::Scratch scratch;
  const auto r = run_toroid(
      "compare mesh:4x4 --trace cg:class=S,ranks=16,iterations=1 --map consecutive random "
      "multilevel --repeat 8 --no-verify --baseline random --markdown " +
      scratch.path("t.md") + " --tex " + scratch.path("t.tex") + " --html " + scratch.path("t.html") + " --json " +
      scratch.path("t.json"));
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("times as fast as random (95 %)") && Catch::Contains("corrected (Holm)") &&
                        Catch::Contains("8 runs each, consecutive 1"));
  const auto json = core::parse_json(content(scratch.path("t.json")));
  const auto page = content(scratch.path("t.html"));
  CHECK(json["manifest"]["baseline"] == "random");
  const auto& gains = json["statistics"][0]["gains"];
  REQUIRE(gains.size() == 2);
  CHECK(gains[0]["map"] == "consecutive");
  CHECK(gains[0]["runs"] == 1);
  CHECK(gains[0]["baseline_runs"] == 8);
  CHECK(gains[1]["other"] == "random");
  for (const auto& gain : gains) {
    const double low = gain["speedup_interval"][0], high = gain["speedup_interval"][1], speedup = gain["speedup"];
    CHECK((low <= speedup && speedup <= high));
    CHECK(gain["interval_confidence"] == Approx(0.975));
    CHECK(gain["speedup_with_computation"].is_number());
    CHECK_THAT(r.out, Catch::Contains(fmt::format("{:.3f} ({:.3f} to {:.3f})", speedup, low, high)));
    CHECK_THAT(page, Catch::Contains(fmt::format("{:.3f} to {:.3f}", low, high)));
  }
  for (const auto& note : json["gain_notes"]) {
    CHECK_THAT(r.out, Catch::Contains(note.get<std::string>()));
    CHECK_THAT(page, Catch::Contains(note.get<std::string>()));
  }
  CHECK_THAT(content(scratch.path("t.md")),
             Catch::Contains("### Gain over random\n\n| machine |") && Catch::Contains("### Verdict\n"));
  CHECK_THAT(content(scratch.path("t.tex")),
             Catch::Contains("\\caption{Gain over random.") && Catch::Contains("\\bottomrule"));
  CHECK_THAT(page, Catch::Contains("Gain over random"));
  test::check_fails("compare mesh:2 --trace stencil:grid=2 --baseline scotch", 2,
                    "--baseline: found 'scotch', expected one of the mappers: consecutive, random");
  test::check_fails("compare mesh:2 --trace stencil:grid=2 --map random --baseline random", 2,
                    "--baseline random: expected several mappers, allocators, collectives, machines or traces to "
                    "compare, found one of each");
}

TEST_CASE("engines stand side by side, and their rows in one table") {
  const test::Scratch scratch;
  const auto r = run_toroid(
      "compare mesh:4x4 --trace cg:class=S,ranks=16,iterations=1 --map consecutive random --engines fluid packet "
      "--no-verify --repeat 2 --csv " +
      scratch.path("o.csv"));
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out,
             Catch::Contains("fluid [us]") && Catch::Contains("packet [us]") && Catch::Contains("place by each") &&
                 Catch::Contains("random has the lower mean than consecutive by fluid, and the higher one by packet, "
                                 "on mesh:4x4 with cg:class=S,ranks=16,iterations=1; the runs of both do not show "
                                 "which is faster"));
  std::istringstream lines(content(scratch.path("o.csv")));
  std::size_t by_fluid = 0, by_packet = 0;
  for (std::string line; std::getline(lines, line);) {
    by_fluid += line.ends_with(",fluid");
    by_packet += line.ends_with(",packet");
  }
  CHECK(by_fluid == 3);
  CHECK(by_packet == 3);
}

TEST_CASE("an order that another engine changes for certain is told on the screen, on the page and in the JSON") {
  const test::Scratch scratch;
  const auto r = run_toroid(
      "compare torus:4x4 --trace cg:class=S,ranks=16,iterations=1 --map consecutive snake multilevel --engines fluid "
      "packet:routing=adaptive --no-verify --html " +
      scratch.path("x.html") + " --json " + scratch.path("x.json"));
  REQUIRE(r.exit_code == 0);
  const std::string words =
      "snake is faster than consecutive by fluid, and slower by packet:routing=adaptive, on torus:4x4 with "
      "cg:class=S,ranks=16,iterations=1";
  CHECK_THAT(r.out, Catch::Contains("  3, 2\n") && Catch::Contains("  2, 3\n") && Catch::Contains("\n" + words + "\n"));
  CHECK_THAT(content(scratch.path("x.html")),
             Catch::Contains(words) && Catch::Contains("<td class=\"number\">3, 2</td>"));
  const auto json = core::parse_json(content(scratch.path("x.json")));
  CHECK(json["engine_notes"][0] == words);
  CHECK(json["statistics"][0]["exchanges"][0]["shown_by_engine"] == true);
  CHECK(json["statistics"][0]["holds_under"]["packet:routing=adaptive"] == "yes");  // multilevel is best by both
  CHECK(json["summary"][0]["place"] == 3);
  CHECK(json["opinions"][0]["summary"][0]["place"] == 2);
}

TEST_CASE("compare says how nodes are drawn, and what an order that is drawn stands for") {
  const std::string study = "compare torus:4x4 --trace stencil:grid=2x2 --no-verify --alloc random ";
  const auto one = run_toroid(study + "--map consecutive node").out;
  CHECK_THAT(one, Catch::Contains("; nodes of random: drawn once, by seed 1, for all runs") &&
                      Catch::Contains("by the numbers of nodes, is node"));
  const auto two = run_toroid(study + "curve --map node --repeat 2").out;
  CHECK_THAT(two, Catch::Contains("; nodes of random: drawn anew by the seed of each run, as several allocators") &&
                      !Catch::Contains("is node"));
  CHECK_THAT(run_toroid("compare torus:4x4 --trace stencil:grid=2x2 --no-verify --alloc curve").out,
             !Catch::Contains("drawn"));
}

TEST_CASE("what is faster by communication and slower as a whole is called so in its row") {
  const std::string study =
      "compare torus:8x8x8 --trace cg:class=A,ranks=64,iterations=1 --busy random:0.6 --alloc random --no-verify ";
  const auto told = run_toroid(study + "--map consecutive node --baseline consecutive").out;
  const auto json = core::Json::parse(run_toroid(study + "--map consecutive node --baseline consecutive --json -").out);
  const auto& gain = json["statistics"][0]["gains"][0];
  REQUIRE(gain["speedup"] > 1.001);
  REQUIRE(gain["speedup_with_computation"] < 0.999);
  CHECK_THAT(told, Catch::Contains("faster, slower as a whole"));
}

TEST_CASE("what a mapping can gain is told over one mapper, whatever others there are, and not among machines") {
  const std::string study = "compare mesh:4x4 --trace minighost:ranks=16,steps=2 --no-verify --map consecutive ";
  const auto gain = [&](const std::string& rest) {
    return core::Json::parse(run_toroid(study + rest + " --json -").out)["computation"][0]["gain_at_most"];
  };
  CHECK(gain("random") == gain("random snake"));
  CHECK(gain("random") == gain("random snake --baseline consecutive"));
  CHECK(gain("random:seed=3") != gain("random:seed=3 --baseline random:seed=3"));
  CHECK_THAT(run_toroid(study + "snake").out, Catch::Contains("a mapping gains of the whole over consecutive"));
  CHECK_THAT(run_toroid(study + "--what-if bandwidth=x2").out, !Catch::Contains("a mapping gains"));
}

TEST_CASE("what a machine needs to know of an engine stands below the times") {
  // Several remarks of one result, each in a line of its own.
  const auto r = run_toroid(
      "compare torus:4x4x4,bw=50GBps,lat=200ns,injection=300GBps,ejection=300GBps --trace stencil:grid=4x4x4 --map "
      "random --engine packet:buffer=1KiB --no-verify");
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("\nnote: packet:buffer=1KiB on torus:4x4x4,bw=50GBps") &&
                        Catch::Contains("buffer=5120 would do\n"));
}
