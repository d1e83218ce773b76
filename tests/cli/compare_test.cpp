#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/csv.hpp"
#include "core/inputs.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::content;
using test::run_toroid;

namespace {

constexpr const char* study =
    "compare mesh:4x4 torus:4x4 --trace cg:class=S,ranks=16,iterations=1 stencil:grid=4x4 --map consecutive random "
    "--repeat 3";

}  // namespace

TEST_CASE("compare prints a table and writes a row per run") {
  const test::Scratch scratch;
  const auto r = run_toroid(std::string(study) + " --csv " + scratch.path("out.csv"));
  CHECK(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::StartsWith("machine") && Catch::Contains("stencil:grid=4x4"));
  const auto csv = content(scratch.path("out.csv"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 2 * (1 + 3));
}

TEST_CASE("the number of workers does not change a byte") {
  CHECK(run_toroid(std::string(study) + " --workers 1 --json -").out ==
        run_toroid(std::string(study) + " --workers 4 --json -").out);
}

TEST_CASE("a run of a study is the run that simulate makes") {
  const auto rows = core::Json::parse(run_toroid(std::string(study) + " --json -").out)["rows"];
  const auto single = core::Json::parse(
      run_toroid("simulate mesh:4x4 cg:class=S,ranks=16,iterations=1 --engine fluid --map random --seed 2 --json -")
          .out);
  for (const auto& row : rows)
    if (row["platform"] == "mesh:4x4" && row["trace"] == "cg:class=S,ranks=16,iterations=1" && row["map"] == "random" &&
        row["repetition"] == 1)
      CHECK(row["runtime_s"] == single["runtime_s"]);
}

TEST_CASE("a stopped study goes on where it stopped") {
  const test::Scratch scratch;
  // A run that fails costs itself alone: the others are in the journal.
  const auto trace = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const auto failing = "compare mesh:2 --trace " + trace +
                       " stencil:grid=2,flops=0f --map consecutive --no-verify --csv " + scratch.path("f.csv");
  const auto r = run_toroid(failing);
  CHECK(r.exit_code == 1);
  CHECK_THAT(r.err, Catch::Contains("1 of 2 runs failed, the first on mesh:2 with " + trace +
                                    ", map consecutive, repetition 0: ") &&
                        Catch::Contains("deadlock"));
  CHECK_THAT(content(scratch.path("f.csv")), Catch::Contains("deadlock: 2 of 2"));
  const auto journal = content(scratch.path("f.csv.journal"));
  CHECK(std::count(journal.begin(), journal.end(), '\n') == 2);
  // An unfinished line at its end is dropped.
  std::ofstream(scratch.path("f.csv.journal"), std::ios::app) << "{\"run\": 1, \"res";
  CHECK(run_toroid(failing).exit_code == 1);
  CHECK(content(scratch.path("f.csv.journal")) == journal);
}

TEST_CASE("what is known from a journal is not run again, and a larger study adds to it") {
  const test::Scratch scratch;
  const auto command = [&](const std::string& rest) {
    return "compare mesh:2x2 --trace stencil:grid=2x2,flops=0f --no-verify --csv " + scratch.path("o.csv") + rest;
  };
  REQUIRE(run_toroid(command(" --map random --repeat 2")).exit_code == 0);
  // What a known result says comes out, if it was changed.
  auto journal = content(scratch.path("o.csv.journal"));
  // Its second line, with the checksum that it then has, below its head.
  const auto head = journal.substr(0, journal.find('\n') - 17);
  const auto start = journal.find('\n') + 1, end = journal.find('\n', start);
  auto line = journal.substr(start, end - start - 17);
  const auto at = line.find("\"runtime_s\":");
  REQUIRE(at != std::string::npos);
  line.replace(at, line.find(',', at) - at, "\"runtime_s\":123.5");
  journal.replace(start, end - start, line + " " + core::sha256_of_text(head + line).substr(0, 16));
  std::ofstream(scratch.path("o.csv.journal")) << journal;
  REQUIRE(run_toroid(command(" --map consecutive random --repeat 5")).exit_code == 0);
  const auto grown = content(scratch.path("o.csv.journal"));
  CHECK_THAT(grown, Catch::StartsWith(journal));
  CHECK(std::count(grown.begin(), grown.end(), '\n') == 1 + 2 + 4);
  CHECK_THAT(content(scratch.path("o.csv")), Catch::Contains("123.5"));
  // The same again runs nothing, other settings run anew, and a smaller study is one.
  const auto whole = content(scratch.path("o.csv"));
  REQUIRE(run_toroid(command(" --map consecutive random --repeat 5")).exit_code == 0);
  CHECK(content(scratch.path("o.csv.journal")) == grown);
  CHECK(content(scratch.path("o.csv")) == whole);
  REQUIRE(run_toroid(command(" --map random --repeat 2 --eager 1MiB")).exit_code == 0);
  CHECK_THAT(content(scratch.path("o.csv")), !Catch::Contains("123.5"));
  REQUIRE(run_toroid(command(" --map random --repeat 1")).exit_code == 0);
  CHECK(std::count(whole.begin(), whole.end(), '\n') == 7);
}

TEST_CASE("with one mapper machines are compared, in words and as a picture") {
  const test::Scratch scratch;
  const auto r = run_toroid(
      "compare mesh:4x4 torus:4x4 --trace stencil:grid=4x4 cg:class=S,ranks=16,iterations=1 "
      "--map random --repeat 8 --no-verify --svg " +
      scratch.path("x.svg"));
  CHECK(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("better than mesh:4x4 (p") && Catch::Contains("\nengine fluid; whole: "));
  std::istringstream table(r.out.substr(0, r.out.find("engine")));
  std::size_t best = 0, lines = 0;
  for (std::string line; std::getline(table, line); ++lines) best += line.find("  1.000  ") != std::string::npos;
  CHECK(lines == 1 + 2 * 2);
  CHECK(best == 2);  // of each trace one machine
  CHECK_THAT(content(scratch.path("x.svg")), Catch::Contains("Communication time by machine"));
}

TEST_CASE("with one mapper allocators are compared: each run is the one that simulate makes") {
  const test::Scratch scratch;
  const auto path = [&](const char* name) { return scratch.path(name); };
  const std::string job = "mesh:8x8 ", trace = "stencil:grid=4x4,steps=3,flops=0f ", busy = "--busy random:0.5 ";
  const std::string allocators = "--alloc consecutive 'centres := mc1x1' random ";
  const auto study = "compare " + job + "--trace " + trace + busy + allocators + "--repeat 4 --no-verify ";
  const auto r = run_toroid(study + "--baseline consecutive --svg " + path("x.svg") + " --html " + path("x.html") +
                            " --vega " + path("x.vega") + " --csv " + path("x.csv"));
  CHECK(r.err.empty());
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("alloc        map") && Catch::Contains("quick") && Catch::Contains("4 pairs") &&
                        Catch::Contains("  centres"));
  CHECK_THAT(content(path("x.svg")), Catch::Contains("time by allocator") && Catch::Contains(">centres<"));
  CHECK_THAT(content(path("x.html")), Catch::Contains("Comparison of allocators") &&
                                          Catch::Contains("Two allocators are") && Catch::Contains("by 3 allocators") &&
                                          Catch::Contains("Gain over consecutive"));
  const auto vega = core::Json::parse(content(path("x.vega")));
  CHECK(vega["spec"]["layer"][0]["encoding"]["x"]["field"] == "alloc");
  CHECK(vega["data"]["values"][4]["alloc"] == "centres");
  const auto json = core::Json::parse(run_toroid(study + "--workers 1 --json -").out);
  CHECK(json == core::Json::parse(run_toroid(study + "--workers 3 --json -").out));
  CHECK(json["manifest"]["allocs"] == core::Json({"consecutive", "mc1x1", "random"}));
  REQUIRE(json["rows"].size() == 12);
  std::set<double> times;
  for (const auto& row : json["rows"]) {
    const auto single = test::json_of("simulate " + job + trace + busy + "--engine fluid --map quick --alloc " +
                                      row["alloc"].get<std::string>() + " --seed " + row["seed"].dump());
    CHECK(row["runtime_s"] == single["runtime_s"]);
    times.insert(row["runtime_s"].get<double>());
  }
  CHECK(times.size() > 6);  // the draws differ
  // One more allocator is added to what the journal knows.
  const auto before = content(path("x.csv.journal"));
  REQUIRE(run_toroid(study + "--alloc curve --csv " + path("x.csv")).exit_code == 0);
  const auto after = content(path("x.csv.journal"));
  CHECK_THAT(after, Catch::StartsWith(before));
  CHECK(std::count(after.begin(), after.end(), '\n') == std::count(before.begin(), before.end(), '\n') + 4);
  CHECK_THAT(content(path("x.csv")), Catch::StartsWith("platform,trace,alloc,map,"));
}

TEST_CASE("several mappers are judged for each of several allocators") {
  const test::Scratch scratch;
  const auto r = run_toroid(
      "compare mesh:6x6 --trace stencil:grid=4x4 cg:class=S,ranks=16,iterations=1 --map consecutive random --repeat 6 "
      "--alloc curve mc1x1 --busy 0-3,20 --no-verify --svg " +
      scratch.path("x.svg") + " --html " + scratch.path("x.html") + " --json " + scratch.path("x.json"));
  REQUIRE(r.exit_code == 0);
  const auto json = core::Json::parse(content(scratch.path("x.json")));
  CHECK(json["statistics"].size() == 4);
  CHECK(json["statistics"][1]["alloc"] == "mc1x1");
  CHECK(json["computation"].size() == 2);
  CHECK_THAT(content(scratch.path("x.svg")), Catch::Contains("mesh:6x6, mc1x1"));
  CHECK_THAT(content(scratch.path("x.html")), Catch::Contains("<th>allocator</th>"));
  const auto plot = run_toroid("plot " + scratch.path("x.json") + " --svg " + scratch.path("p.svg"));
  CHECK(plot.exit_code == 0);
  CHECK_THAT(content(scratch.path("p.svg")), Catch::Contains("stencil:grid=4x4 on mesh:6x6 by mc1x1"));
}

TEST_CASE("what-ifs are machines beside the one that they change") {
  const std::string command =
      "compare mesh:4x4 --trace stencil:grid=4x4 --map consecutive --no-verify --what-if bandwidth=500MBps "
      "--what-if latency=0s";
  const auto json = core::Json::parse(run_toroid(command + " --json -").out);
  REQUIRE(json["what_ifs"].size() == 2);
  CHECK(json["what_ifs"][0]["platform"] == "mesh:4x4,bandwidth=500MBps");
  CHECK(json["what_ifs"][0]["baseline"] == "mesh:4x4");
  const auto time = [](const std::string& machine) {
    const auto run = run_toroid("simulate " + machine + " stencil:grid=4x4 --engine fluid --json -");
    return core::Json::parse(run.out)["runtime_s"].get<double>();
  };
  const double change = time("mesh:4x4,bandwidth=500MBps") / time("mesh:4x4") - 1;
  CHECK(json["what_ifs"][0]["relative_change"].get<double>() == Approx(change));
  CHECK(json["what_ifs"][1]["relative_change"].get<double>() < 0);
  CHECK_THAT(run_toroid(command).out,
             Catch::Contains("mesh:4x4 bandwidth=500MBps") && Catch::Contains(fmt::format("{:+.2f} %", 100 * change)));
  CHECK(run_toroid(command + " --what-if color=red").exit_code == 2);
  const auto all = [](const std::string& what_ifs) {
    return run_toroid("compare mesh:4x4 --trace stencil:grid=4x4 --map consecutive --no-verify --what-if " + what_ifs)
        .out;
  };
  CHECK(all("bandwidth=x2 latency=x2") == all("bandwidth=x2 --what-if latency=x2"));
  CHECK_THAT(all("bandwidth=x2 latency=x2"), Catch::Contains("mesh:4x4 latency=x2"));
}

TEST_CASE("machines, traces and mappers have labels, in words and in pictures; rows keep their names") {
  const test::Scratch scratch;
  const auto one = scratch.write("one.ti", "0 send 1 0 8 6\n1 recv 0 0 8 6\n");
  const auto two = scratch.write("two.ti", "0 send 1 0 9 6\n1 recv 0 0 9 6\n");
  const auto r =
      run_toroid("compare mesh:2 --trace 'tiny := " + one + "' " + two + " --map consecutive --no-verify --csv " +
                 scratch.path("o.csv") + " --html " + scratch.path("o.html"));
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("  tiny  ") && Catch::Contains("  two.ti  ") && !Catch::Contains(one));
  CHECK_THAT(content(scratch.path("o.html")), Catch::Contains("<td>tiny</td>") && Catch::Contains("<td>two.ti</td>"));
  CHECK_THAT(content(scratch.path("o.csv")), Catch::Contains(one + ","));
  const auto programs = run_toroid(
      "compare 'line:=mesh:4,lat=1us' --trace 'one := stencil:grid=4,steps=1' 'two:= stencil:grid=4,steps=2' --map 'in "
      "order:=consecutive' --baseline two --no-verify");
  CHECK(programs.exit_code == 0);
  CHECK_THAT(programs.out, Catch::Contains("line     one    in order") && Catch::Contains("one is fastest") &&
                               Catch::Contains("times as fast as two"));
  std::filesystem::copy(one, scratch.path("a:=b.ti"));
  CHECK_THAT(run_toroid("compare mesh:2 --trace '" + scratch.path("a:=b.ti") + "' --map consecutive --no-verify").out,
             Catch::Contains("/a:=b.ti  consecutive"));
  test::check_fails("compare mesh:2 --trace 'a := " + one + "' 'a := " + two + "'", 2, "'a' is the label of two");
  test::check_fails("compare mesh:2 --trace ' := " + one + "'", 2, "expected a label and what it stands for");
}

TEST_CASE("trainings on different numbers of tokens are judged for as many tokens") {
  const test::Scratch scratch;
  const std::string machine = "torus:4x4,bw=50GBps,speed=100Tf",
                    model = "llm:model=llama2-7b,layers=2,micro-batches=4,";
  // Layout, sequences of 4096 tokens. The first has the shortest step, and trains on the fewest tokens.
  const std::vector<std::pair<std::string, double>> layouts{
      {"tensor=4,data=2,pipeline=2", 8}, {"tensor=2,data=4,pipeline=2", 16}, {"tensor=1,data=16,pipeline=1", 64}};
  std::string traces;
  std::vector<double> times;
  for (const auto& [layout, sequences] : layouts) {
    traces += " '" + layout + " := " + model + layout + "'";
    times.push_back(
        test::json_of("simulate " + machine + " " + model + layout + " --engine fluid --compute trace")["runtime_s"]);
  }
  const auto json = test::json_of("compare " + machine + " --map consecutive --compute trace --no-verify --baseline '" +
                                  layouts[1].first + "' --trace" + traces + " --csv " + scratch.path("o.csv") +
                                  " --svg " + scratch.path("o.svg"));
  CHECK(json["programs"]["tokens"] == 64 * 4096);
  std::vector<double> of_token;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const auto& line = json["summary"][i];
    const double tokens = layouts[i].second * 4096;
    of_token.push_back(times[i] / tokens);
    CHECK(line["mean_s"] == times[i]);
    CHECK(line["training"]["tokens"] == tokens);
    CHECK(line["training"]["tokens_per_second"] == Approx(tokens / times[i]));
    // Operations of a token, by hand: 6 for each weight that it meets, 12 h s for each layer's attention.
    const double weights = 2 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008) + 4096.0 * 32000;
    const double flops = 6 * weights + 2 * 12.0 * 4096 * 4096;
    CHECK(line["training"]["mfu"] == Approx(flops * tokens / times[i] / (16 * 100e12)));
    CHECK(line["exposed_s"].contains("tensor") == (i < 2));
    CHECK(line["exposed_s"].contains("data"));
  }
  const auto least = std::min_element(of_token.begin(), of_token.end()) - of_token.begin();
  CHECK(std::min_element(times.begin(), times.end()) - times.begin() != least);  // or the test would show nothing
  CHECK(json["programs"]["lowest_mean"] == json["manifest"]["traces"][static_cast<std::size_t>(least)]);
  for (std::size_t i = 0; i < layouts.size(); ++i)
    CHECK(json["summary"][i]["mean_normalized"] == Approx(of_token[i] / of_token[static_cast<std::size_t>(least)]));
  CHECK(json["programs"]["gains"][0]["speedup"] == Approx(of_token[1] / of_token[0]));
  CHECK_THAT(json["programs"]["verdict"].get<std::string>(), Catch::Contains("mean for 262144 tokens ("));
  CHECK_THAT(content(scratch.path("o.svg")), Catch::Contains("mean run time for 262144 tokens ["));
  // All rows of the CSV have the columns of all, those of the last layout an empty one.
  std::istringstream csv(content(scratch.path("o.csv")));
  std::vector<std::string> head;
  for (std::string line; std::getline(csv, line);) {
    const auto fields = core::csv_fields(line);
    if (head.empty()) head = fields;
    REQUIRE(fields.size() == head.size());
    const auto tensor = std::find(head.begin(), head.end(), "exposed_tensor_s") - head.begin();
    CHECK(fields[static_cast<std::size_t>(tensor)].empty() == (line.find("tensor=1") != std::string::npos));
  }
  CHECK(head.back() == "engine");
}

TEST_CASE("each layout of a training is told with its best mapper, for as many tokens") {
  const test::Scratch scratch;
  const std::string model = "llm:hidden=256,layers=4,heads=4,key-heads=4,tensor=1,sequence=128,steps=1,";
  const auto r = run_toroid("compare tpu-v4:2x2x2 --trace 'wide := " + model + "data=8,pipeline=1' 'deep := " + model +
                            "data=2,pipeline=4,micro-batches=4' --map consecutive random --repeat 3 --compute trace "
                            "--no-verify --html " +
                            scratch.path("x.html") + " --json " + scratch.path("x.json"));
  INFO(r.err);
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("over the best") &&
                        Catch::Contains("each program with the mapper that has the lowest mean there"));
  CHECK_THAT(content(scratch.path("x.html")), Catch::Contains("Layouts"));
  const auto json = core::Json::parse(content(scratch.path("x.json")));
  REQUIRE(json["layouts"].size() == 2);
  std::map<std::string, double> best, tokens;  // by program, from the runs themselves
  std::map<std::pair<std::string, std::string>, std::vector<double>> times;
  for (const auto& row : json["rows"]) times[{row["trace"], row["map"]}].push_back(row["runtime_s"]);
  for (const auto& [names, all] : times) {
    double sum = 0;
    for (const double time : all) sum += time;
    const double mean = sum / static_cast<double>(all.size());
    const auto [at, is_new] = best.try_emplace(names.first, mean);
    at->second = std::min(at->second, mean);
  }
  double most = 0;
  for (const auto& line : json["summary"]) {
    tokens[line["trace"]] = line["training"]["tokens"];
    most = std::max(most, tokens[line["trace"]]);
  }
  CHECK(tokens.size() == 2);
  std::vector<double> expected;
  for (const auto& layout : json["layouts"])
    expected.push_back(best.at(layout["trace"]) * most / tokens.at(layout["trace"]));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(json["layouts"][i]["mean_s"] == Approx(expected[i]));
    CHECK(json["layouts"][i]["normalized"] == Approx(expected[i] / std::min(expected[0], expected[1])));
  }
  CHECK(json["layouts"][0]["normalized"] == 1);  // wide, although a step of deep is shorter: it trains on an eighth
  CHECK(json["programs"].is_null());
}

TEST_CASE("programs that train on as many tokens, or do not say on how many, are judged by their times") {
  const std::string rest = " --map consecutive --no-verify --trace llm:tensor=2,data=2,pipeline=1,layers=1 ";
  for (const auto* other : {"llm:tensor=1,data=4,pipeline=1,layers=1,micro-batches=4", "stencil:grid=2x2"})
    CHECK(!test::json_of("compare mesh:2x2" + rest + other)["programs"].contains("tokens"));
  const auto words = run_toroid("compare mesh:2x2" + rest + "stencil:grid=2x2").out;
  CHECK_THAT(words, Catch::Contains("tokens/s and MFU need the computation: --compute trace"));
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
  const auto r = run_toroid(std::string(study));
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
  const auto narrow = run_toroid(std::string(study));
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
  REQUIRE(run_toroid(std::string(study) + " --workers 1" + files("a")).exit_code == 0);
  REQUIRE(run_toroid(std::string(study) + " --workers 4" + files("b")).exit_code == 0);
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
  CHECK_THAT(r.out, Catch::Contains("nothing to compare stencil:grid=2 with") && Catch::Contains("deadlock.ti failed"));
  CHECK_THAT(content(scratch.path("x.svg")), Catch::Contains("1 run failed and is left out"));
  CHECK_THAT(content(scratch.path("x.html")), Catch::Contains("deadlock.ti failed"));
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

TEST_CASE("a study under mpirun gives the same bytes") {
  if (std::system("command -v mpirun >/dev/null") != 0) {
    WARN("skipped: there is no mpirun");
    return;
  }
  const test::Scratch scratch;
  const auto command =
      std::string("ASAN_OPTIONS=detect_leaks=0 timeout 60 mpirun --allow-run-as-root --oversubscribe -np 3 ") +
      test::toroid_command + " " + study + " --workers 1 --json " + scratch.path("mpi.json") + " >/dev/null 2>" +
      scratch.path("err");
  const int status = std::system(command.c_str());
  INFO(content(scratch.path("err")));
  REQUIRE(status == 0);
  CHECK(content(scratch.path("mpi.json")) == run_toroid(std::string(study) + " --workers 2 --json -").out);
}

TEST_CASE("ranks may have different numbers of workers") {
  if (std::system("command -v mpirun >/dev/null") != 0) return;
  const test::Scratch scratch;
  const auto plain = run_toroid(std::string(study) + " --workers 2 --json -").out;
  for (const auto& [first, second] : {std::pair{1, 3}, std::pair{3, 1}}) {
    const auto rank = [&](int jobs) {
      return fmt::format("-np 1 {} {} --workers {} --json {}", test::toroid_command, study, jobs,
                         scratch.path("mpi.json"));
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
      test::toroid_command + " " + study + " --csv /no/such/folder/x.csv >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 2);
}

TEST_CASE("what cannot run is refused before anything runs") {
  const test::Scratch scratch;
  const auto map = scratch.write("short.map", "0\n1\n");
  for (const std::string& wrong : {std::string("--engine nope"), std::string("--engine fluid:foo=1"), "--map " + map,
                                   std::string("--workers -1"), std::string("--seed -1")}) {
    INFO(wrong);
    CHECK(run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 " + wrong).exit_code == 2);
  }
}

TEST_CASE("a trace that changes is run again") {
  const test::Scratch scratch;
  const auto part = scratch.write("r0.ti", "0 send 1 0 8 6\n");
  const auto top = scratch.write("top", "r0.ti\n" + scratch.write("r1.ti", "1 recv 0 0 8 6\n") + "\n");
  const auto command =
      "compare mesh:2 --trace " + top + " --map consecutive --no-verify --csv " + scratch.path("o.csv");
  REQUIRE(run_toroid(command).exit_code == 0);
  const auto before = content(scratch.path("o.csv"));
  scratch.write("r0.ti", "0 send 1 0 80000 6\n");
  REQUIRE(run_toroid(command).exit_code == 0);
  CHECK(content(scratch.path("o.csv")) != before);
}

TEST_CASE("pictures are SVG files") {
  const test::Scratch scratch;
  test::check_fails(std::string(study) + " --svg " + scratch.path("x.png"), 2, "found a name in .png, expected");
}

TEST_CASE("a file that is no journal is left alone") {
  const test::Scratch scratch;
  scratch.write("o.csv.journal", "my notes\n");
  const auto r = run_toroid("compare mesh:2 --trace stencil:grid=2 --map consecutive --csv " + scratch.path("o.csv"));
  CHECK(r.exit_code == 2);
  CHECK(content(scratch.path("o.csv.journal")) == "my notes\n");
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
  test::check_fails(
      "compare mesh:2 --trace stencil:grid=2 --map random --baseline random", 2,
      "--baseline random: expected several mappers, allocators, machines or traces to compare, found one of each");
}

TEST_CASE("with one mapper the baseline is a machine, or what it is changed into") {
  const std::string study =
      "compare mesh:4x4 --trace stencil:grid=4x4,steps=1,bytes=128KB --map random --no-verify --repeat 8 --what-if "
      "bandwidth=x2 "
      "--engines fluid packet ";
  const auto r = run_toroid(study + "--baseline mesh:4x4");
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("times as fast as mesh:4x4 (95 %)") && Catch::Contains("8 pairs  ") &&
                        Catch::Contains("holds under packet") && Catch::Contains("  2, 2\n") &&
                        Catch::Contains("all engines put the machines in the same order of means"));
  const auto back = core::Json::parse(run_toroid(study + "--baseline 'mesh:4x4 bandwidth=x2' --json -").out);
  CHECK(back["machines"][0]["gains"][0]["platform"] == "mesh:4x4");
  CHECK(back["machines"][0]["gains"][0]["speedup"].get<double>() == Approx(0.5).margin(0.01));
  CHECK(back["machines"][0]["holds_under"]["packet"] == "yes");
  CHECK_FALSE(back["statistics"][0].contains("holds_under"));
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
  CHECK_THAT(content(scratch.path("x.html")), Catch::Contains(words) && Catch::Contains("<td>3, 2</td>"));
  const auto json = core::parse_json(content(scratch.path("x.json")));
  CHECK(json["engine_notes"][0] == words);
  CHECK(json["statistics"][0]["exchanges"][0]["shown_by_engine"] == true);
  CHECK(json["statistics"][0]["holds_under"]["packet:routing=adaptive"] == "yes");  // multilevel is best by both
  CHECK(json["summary"][0]["place"] == 3);
  CHECK(json["opinions"][0]["summary"][0]["place"] == 2);
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

TEST_CASE("with one mapper on one machine programs are compared, in words and as bars of their times") {
  const test::Scratch scratch;
  const auto command =
      "compare mesh:4x4 --trace stencil:grid=4x4,bytes=1KiB stencil:grid=4x4,bytes=64KiB --map random --repeat 8 "
      "--no-verify --svg " +
      scratch.path("x.svg") + " --html " + scratch.path("x.html") + " --json " + scratch.path("x.json");
  const auto r = run_toroid(command);
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("is fastest (mean communication time ") && Catch::Contains("better than stencil"));
  const auto json = core::parse_json(content(scratch.path("x.json")));
  CHECK(json["programs"]["platform"] == "mesh:4x4");
  CHECK(json["programs"]["pairs"][0]["trace"] == json["manifest"]["traces"][0]);
  const double ratio = json["summary"][1]["mean_s"].get<double>() / json["summary"][0]["mean_s"].get<double>();
  CHECK(json["summary"][1]["mean_normalized"].get<double>() == Approx(ratio));
  CHECK_THAT(r.out, Catch::Contains(fmt::format("{:.3f}", ratio)));
  CHECK_THAT(content(scratch.path("x.svg")),
             Catch::Contains("Communication time by program") && Catch::Contains("mean communication time [m"));
  CHECK_THAT(content(scratch.path("x.html")),
             Catch::Contains("Comparison of programs") && Catch::Contains(fmt::format("{:.3f}", ratio)));
}
