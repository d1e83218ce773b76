// What a study compares besides mappers: machines, allocators, what-ifs, programs and layouts, and what they are
// called.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "core/csv.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::content;
using test::run_toroid;

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
  CHECK_THAT(content(scratch.path("x.svg")),
             Catch::Contains("communication time / best mean") && Catch::Contains(">mesh:4x4<"));
}

TEST_CASE("with one mapper allocators are compared: each run is the one that simulate makes") {
  const test::Scratch scratch;
  const auto path = [&](const char* name) { return scratch.path(name); };
  const std::string job = "mesh:8x8 ", trace = "stencil:grid=4x4,steps=3,flops=0f ", busy = "--busy random:0.5 ";
  const std::string allocators = "--alloc consecutive 'centres := mc1x1' random ";
  const auto study = "compare " + job + "--trace " + trace + busy + allocators + "--repeat 4 --no-verify ";
  const auto r = run_toroid(study + "--baseline consecutive --svg " + path("x.svg") + " --html " + path("x.html") +
                            " --csv " + path("x.csv"));
  CHECK(r.err.empty());
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("alloc        map") && Catch::Contains("quick") && Catch::Contains("4 pairs") &&
                        Catch::Contains("  centres"));
  CHECK_THAT(content(path("x.svg")), Catch::Contains(">centres<"));
  CHECK_THAT(content(path("x.html")), Catch::Contains("Comparison of allocators") &&
                                          Catch::Contains("Two allocators are") && Catch::Contains("by 3 allocators") &&
                                          Catch::Contains("Gain over consecutive"));
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

TEST_CASE("algorithms of collectives are compared: each run is the one that simulate makes") {
  const test::Scratch scratch;
  const auto path = [&](const char* name) { return scratch.path(name); };
  const std::string program = "sharded:mesh=24,all-gather=0,all-reduce=24MB";
  const auto study = "compare torus:4x6 mesh:4x6 --trace " + program +
                     " --collectives mpi 'swung := default:allreduce=(swing_halving:ports=1)' torus --no-verify ";
  const auto r = run_toroid(study + "--svg " + path("x.svg") + " --html " + path("x.html") + " --csv " + path("x.csv") +
                            " --baseline mpi");
  CHECK(r.err.empty());
  REQUIRE(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("swung") && Catch::Contains("allreduce by swing_halving:ports=1 of 4x6") &&
                        Catch::Contains("allreduce by rings of 4x6") && Catch::Contains("times as fast as mpi"));
  CHECK_THAT(content(path("x.svg")), Catch::Contains(">swung<"));
  CHECK_THAT(content(path("x.html")),
             Catch::Contains("Comparison of algorithms of collectives") && Catch::Contains("3 choices of collectives"));
  CHECK_THAT(content(path("x.csv")), Catch::StartsWith("platform,trace,collectives,map,"));
  const auto json = core::Json::parse(run_toroid(study + "--workers 1 --json -").out);
  CHECK(json == core::Json::parse(run_toroid(study + "--workers 2 --json -").out));
  CHECK(json["subject"] == "collectives");
  const core::Json names{"mpi", "default:allreduce=(swing_halving:ports=1)", "torus"};
  CHECK(json["manifest"]["collectives"] == names);
  CHECK(json["labels"]["collectives"][1] == "swung");
  REQUIRE(json["rows"].size() == 6);
  for (const auto& row : json["rows"]) {
    const auto single = test::json_of("simulate " + row["platform"].get<std::string>() + " " + program +
                                      " --engine fluid --collectives '" + row["collectives"].get<std::string>() + "'");
    CHECK(row["runtime_s"] == single["runtime_s"]);
    CHECK_THAT(row["algorithms"].get<std::string>(),
               Catch::Contains(single["collectives"][0]["algorithm"].get<std::string>()));
  }
  REQUIRE(json["collectives"].size() == 2);  // a contest on each machine
  CHECK(json["collectives"][0]["pairs"].size() == 3);
  CHECK(json["collectives"][0]["lowest_mean"] == "torus");
  CHECK(test::run_toroid("plot " + scratch.write("x.json", json.dump()) + " --svg " + path("y.svg")).exit_code == 0);
  CHECK_THAT(run_toroid("compare torus:4x4 --trace " + program + " --collectives mpi mpi").err,
             Catch::Contains("'mpi' is given twice"));
}

TEST_CASE("several mappers are judged for each of several collectives") {
  const auto json = core::Json::parse(run_toroid("compare torus:4x4 --trace sharded:mesh=16,all-reduce=1MB --map "
                                                 "consecutive quick --collectives mpi torus --no-verify --json -")
                                          .out);
  CHECK(json["subject"] == "map");
  REQUIRE(json["statistics"].size() == 2);
  CHECK(json["statistics"][0]["collectives"] == "mpi");
  CHECK(json["statistics"][1]["collectives"] == "torus");
  CHECK(json["statistics"][1]["pairs"].size() == 1);
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
  CHECK_THAT(content(scratch.path("x.svg")), Catch::Contains("stencil:grid=4x4 on mesh:6x6 by mc1x1"));
  CHECK_THAT(content(scratch.path("x.html")), Catch::Contains("<th>alloc</th>"));
  const auto plot = run_toroid("plot " + scratch.path("x.json") + " --width 200 --svg " + scratch.path("p.svg"));
  CHECK(plot.exit_code == 0);
  CHECK(content(scratch.path("p.svg")) == content(scratch.path("x.svg")));
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
  // Another engine may say otherwise.
  const auto by_packets = [](const std::string& machine) {
    return test::json_of("simulate " + machine + " stencil:grid=4x4 --engine packet")["runtime_s"].get<double>();
  };
  const double otherwise = by_packets("mesh:4x4,bandwidth=500MBps") / by_packets("mesh:4x4") - 1;
  CHECK(std::abs(otherwise - change) > 1e-4);
  CHECK_THAT(run_toroid(command + " --engines fluid packet").out,
             Catch::Contains("change by packet") && Catch::Contains(fmt::format("{:+.2f} %", 100 * otherwise)));
  const auto all = [](const std::string& what_ifs) {
    return run_toroid("compare mesh:4x4 --trace stencil:grid=4x4 --map consecutive --no-verify --what-if " + what_ifs)
        .out;
  };
  CHECK(all("bandwidth=x2 latency=x2") == all("bandwidth=x2 --what-if latency=x2"));
  CHECK_THAT(all("bandwidth=x2 latency=x2"), Catch::Contains("mesh:4x4 latency=x2"));
}

TEST_CASE("what-ifs say what stays beside what they change") {
  const auto all = [](const std::string& what_if) {
    return run_toroid(
               "compare mesh:4x4,base-latency=1us,injection-bandwidth=6GBps --trace stencil:grid=4x4 "
               "--map consecutive --no-verify --what-if " +
               what_if)
        .out;
  };
  const auto base = Catch::Contains("base-latency stays 1us"),
             injection = Catch::Contains("injection-bandwidth stays 6GBps");
  CHECK_THAT(all("latency=x0.5"), base && !injection);
  CHECK_THAT(all("bandwidth=x2"), injection && !base);
  CHECK_THAT(all("latency=x0.5,base-latency=x0.5"), !base && !injection);
  CHECK_THAT(all("fail-link=0-1"), !base && !injection);
}

TEST_CASE("machines that no engine can tell apart are refused, and what one of the engines ignores is told") {
  const std::string study = "compare torus:4x4 --trace stencil:grid=4x4,steps=2 --map consecutive --no-verify ";
  const auto ignored = "router.routing changes no time by fluid; packet takes it";
  test::check_fails(study + "--what-if router.routing=adaptive", 2,
                    "'torus:4x4,router.routing=adaptive' and 'torus:4x4' are one machine to the engine: ");
  test::check_fails("compare torus:4x4 torus:4x4,router.routing=adaptive --trace stencil:grid=4x4 --map random", 2,
                    ignored);
  test::check_fails(study + "--what-if router.vcs=2 --engine packet:vcs=8", 2,
                    "router.vcs changes no time by packet:vcs=8; what the engine is told comes first");
  test::check_fails(study + "--set router.vcs=4 --what-if router.vcs=2 --engines simgrid fluid", 2,
                    "router.vcs changes no time by simgrid; packet takes it");
  for (const std::string more : {"--what-if router.routing=adaptive --engines fluid packet",
                                 "--what-if router.routing=adaptive,bandwidth=x2", "--set router.routing=adaptive"}) {
    CAPTURE(more);
    const auto r = run_toroid(study + more);
    CHECK(r.exit_code == 0);
    CHECK_THAT(r.out, Catch::Contains(ignored));
  }
  for (const std::string more : {"--what-if router.vcs=4 --engine packet", "--what-if router.header=16"}) {
    CAPTURE(more);
    const auto json = test::json_of(study + more);
    CHECK_FALSE(json.contains("remarks"));
    CHECK(json["rows"].size() == 2);
  }
  const auto adaptive = test::json_of(study + "--what-if router.routing=adaptive --engine packet");
  REQUIRE(adaptive["remarks"].size() == 2);
  // What decides whether they win is what a run has.
  const auto simulated = test::json_of("simulate torus:4x4 stencil:grid=4x4,steps=2 --engine packet:routing=adaptive");
  const auto settings = simulated["manifest"]["engine_settings"];
  CHECK_THAT(adaptive["remarks"][0].get<std::string>(),
             Catch::Contains(fmt::format("adaptive routes have {} channels a link here, buffers of {} and ties={}:",
                                         settings["vcs"].get<std::string>(), settings["buffer"].get<std::string>(),
                                         settings["ties"].get<std::string>())));
  CHECK_THAT(adaptive["remarks"][1].get<std::string>(), Catch::Contains("3 % from flit-level runs on average"));
  // What a preset has of routers is no news.
  CHECK_FALSE(
      test::json_of("compare bigben titan --trace stencil:grid=4x4 --map consecutive --no-verify").contains("remarks"));
  test::check_fails(
      "schedule torus:4x4 derose:side=4,jobs=3 --and-platform torus:4x4,router.vcs=2 --times replayed "
      "--program stencil:grid={box}",
      2, "router.vcs changes no time by fluid; packet takes it");
  for (const std::string run : {"simulate torus:4x4 stencil:grid=4x4 --engine fluid --set router.vcs=4",
                                "simulate torus:4x4 --job stencil:grid=4x4 --engine fluid --set router.vcs=4",
                                "advise torus:4x4 stencil:grid=4x4 --set router.vcs=4 --budget 2s"}) {
    CAPTURE(run);
    CHECK_THAT(run_toroid(run).out, Catch::Contains("router.vcs changes no time by fluid; packet takes it"));
  }
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
  for (const std::string label : {" ", "a\nb ", "\x1b[2J ", "\xc2\x9b "})
    test::check_fails("compare mesh:2 --trace '" + label + ":= " + one + "'", 2, "expected a label of one plain line");
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
  CHECK_THAT(content(scratch.path("o.svg")), Catch::Contains("run time for 262144 tokens ["));
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

TEST_CASE("slices of different sizes, each with its layout, are judged by tokens of a second and chip") {
  const std::string model = "llm:model=llama2-7b,layers=2,tensor=1,pipeline=1,micro-batches=1,",
                    rest = " --compute trace";
  // Slice, layout, chips (of two cores on v7), sequences of a step.
  const std::vector<std::tuple<std::string, std::string, double, double>> pairs{
      {"tpu-v6e:2x4", model + "data=8,fsdp=8", 8, 8},
      {"tpu-v6e:4x4", model + "data=16,fsdp=16", 16, 16},
      {"tpu-v7:2x2x1", model + "data=8,fsdp=8,micro-batch=2", 4, 16}};
  std::string machines, traces;
  std::vector<double> times, of_chip;
  for (const auto& [machine, trace, chips, sequences] : pairs) {
    machines += " " + machine;
    traces += " " + trace;
    times.push_back(test::json_of("simulate " + machine + " " + trace + " --engine fluid" + rest)["runtime_s"]);
    of_chip.push_back(sequences * 4096 / times.back() / chips);
  }
  const auto command = "compare" + machines + " --paired --map consecutive --no-verify --trace" + traces + rest;
  const auto json = test::json_of(command);
  CHECK(json["programs"]["tokens"] == 16 * 4096);
  CHECK(json["programs"]["chips"] == 16);
  REQUIRE(json["summary"].size() == pairs.size());
  const double best = *std::ranges::max_element(of_chip);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& line = json["summary"][i];
    CHECK(line["trace"] == std::get<0>(pairs[i]) + " " + std::get<1>(pairs[i]));
    CHECK(line["mean_s"] == times[i]);
    CHECK(line["mean_normalized"] == Approx(best / of_chip[i]));
  }
  const auto words = run_toroid(command).out;
  CHECK_THAT(words, Catch::Contains("tokens/s a chip") && Catch::Contains("mean for 65536 tokens on 16 chips "));
  for (const double rate : of_chip) CHECK_THAT(words, Catch::Contains(fmt::format(" {:.1f} ", rate)));
  test::check_fails("compare mesh:4 mesh:2 --paired --trace stencil:grid=2", 2,
                    "--paired: found 2 machines and 1 traces, expected as many");
  test::check_fails("compare mesh:4 mesh:2 --paired --trace stencil:grid=2 stencil:grid=4", 2,
                    "4 ranks do not fit on 2 slots of mesh:2");
  test::check_fails("compare mesh:4 --paired --trace stencil:grid=2 --what-if bandwidth=x2", 2, "--what-if");
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
             Catch::Contains("communication time [m") && Catch::Contains(">stencil:grid=4x4,bytes=1KiB<"));
  CHECK_THAT(content(scratch.path("x.html")),
             Catch::Contains("Comparison of programs") && Catch::Contains(fmt::format("{:.3f}", ratio)));
}
