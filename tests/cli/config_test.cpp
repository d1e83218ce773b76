// A result holds all that its run depends on: --config makes the same bytes of it.

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/arguments.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"

using namespace toroid;
using test::content;
using test::run_toroid;

namespace {

const std::string cg = "cg:class=S,ranks=16,iterations=1";

/// Runs that together use all arguments. LOG, TRACE and MAP stand for files.
const std::vector<std::pair<std::string, std::string>> runs{
    {"simulate", "mesh:4x4 " + cg + " --explain --engine fluid"},
    {"simulate", "mesh:4x4 " + cg},
    {"simulate", "torus:4x2x2 " + cg + " --engine fluid:tolerance=0.1% --plane z=1"},
    {"simulate", "mesh:4x4 " + cg + " --engine fluid --map random --seed 18446744073709551615 --verify"},
    {"simulate", "mesh:4x4 " + cg + " --engine fluid --verify=packet:vcs=2 --nodes 15,0-14 --map MAP"},
    {"simulate",
     "mesh:4x4,cores=2 " + cg + " --engine packet:routing=adaptive --ranks-per-node 2 --alloc mc1x1 --busy random:0.2"},
    {"simulate",
     "torus:4x4 TRACE --engine fluid --matrix p2p --compute x2 --eager 4KiB --envelope 32 --collectives "
     "smpi --order node --windows 8 --repeats off"},
    {"simulate",
     "mesh:4x4 stencil:grid=3x3 --engine fluid --set x.bandwidth=x0.5 --set latency=1us --wrap x=torus --fail-link "
     "n1-n2 "
     "--fail-node 15 --fail-router r12 --at '10us:set y.bandwidth=x0.5' --at '20us:fail-link n5-n6' --on-failure "
     "reroute"},
    {"simulate",
     "mesh:4x4 --job 'stencil:grid=2x2@0-3,name=a' --job '(stencil:grid=2x2,steps=3)@random,seed=3' --others go-on "
     "--engine fluid --at '5us:kill a'"},
    {"simulate", "mesh:4x4 --job stencil:grid=2x2 --job stencil:grid=4,start=1us --engine fluid"},
    {"simulate", "mesh:4x4,bandwidth=1..2GBps " + cg + " --engine fluid --uncertainty 3"},
    {"simulate", "mesh:8x8 stencil:grid=2x2 --busy 'schedule:jobs=LOG,program=(stencil:grid={size})' --engine fluid"},
    {"map", "torus:4x4 " + cg},
    {"map", "tpu-v5e:4x4 --mesh data=4,model=4 --map jax"},
    {"map", "torus:4x4 " + cg + " --map auto:engine=none,budget=2 --format slurm --hosts 'n{:03}' --seed 4"},
    {"map", "torus:4x4 " + cg + " --map random --matrix p2p --collectives smpi --nodes 0-15 --fail-link n1-n2"},
    {"map", "torus:4x4,cores=2 " + cg +
                " --map node --ranks-per-node 2 --busy 3 --alloc mc1x1 --set latency=1us --wrap mesh --fail-node 7 "
                "--fail-router r12 --compute trace --eager 0 --envelope 1 --order shared --repeats off"},
    {"compare", "mesh:4x4 torus:4x4 --trace " + cg + " recorded:=TRACE --what-if x.bandwidth=x0.5 --repeat 3"},
    {"compare", "mesh:4x4 --trace " + cg +
                    " --map random mine:=MAP --baseline mine --seed 9 --engine fluid --no-verify --alpha 0.1"},
    {"compare",
     "mesh:4x4 --trace " + cg +
         " --engines fluid packet --matrix p2p --nodes 0-15 --set latency=1us --wrap x=torus "
         "--fail-link n1-n2 --eager 1KiB --envelope 8 --collectives smpi --order pair --compute none --repeats exact"},
    {"compare", "mesh:4x4,cores=2 --trace " + cg +
                    " --alloc random --busy 3 --ranks-per-node 2 --fail-node 7 --fail-router r12 --map consecutive"},
    {"compare", "mesh:4x4,latency=1..2us --trace " + cg + " --map hilbert snake --engine fluid --uncertainty 3"},
    {"advise", "mesh:4x4 " + cg + " TRACE --baseline MAP --map auto hilbert --repeat 2 --budget 2s --seed 5"},
    {"advise",
     "mesh:4x4 " + cg +
         " --nodes 0-15 --set latency=1us --wrap x=torus --fail-link n1-n2 --compute x0.5 --eager 1KiB "
         "--envelope 8 --collectives smpi --order pair --repeats off --format slurm --hosts 'n{:03}' --budget 2s"},
    {"advise",
     "mesh:8x8 LOG --scheduler fcfs --alloc random mc1x1 --shares 0.2 1 --lenient --too-large reject --exchange "
     "stencil "
     "--at '20s:fail-router y=7 until 1min'"},
    {"advise", "mesh:8x8 LOG --scheduler fcfs --alloc mc1x1 --shares 0.2 --program 'stencil:grid={box}'"},
    {"compare", "mesh:4x4 torus:4x4 --paired --trace " + cg + " recorded:=TRACE --map snake --no-verify"},
    {"advise", "tpu-v5e tpu-v6e llm:model=gpt-1.7b,recompute=full --chips 4 --batch 4"},
    {"advise",
     "mesh:4x4,cores=2 " + cg + " --alloc random --busy 3 --ranks-per-node 2 --fail-node 7 --fail-router r12"},
    {"schedule", "mesh:8x8 LOG --times modelled --communication 0.5 --program stencil:grid={size}"},
    {"schedule", "mesh:8x8 LOG --estimates x2 --kill --too-large reject --lenient"},
    {"schedule", "mesh:8x8 derose:side=8,jobs=30 --dynamic --scheduler fcfs --alloc random --seed 3"},
    {"schedule", "mesh:8x8 LOG --at '20s:fail-router y=7 until 1min' --at '1h:fail-node 3' --and-without"},
    {"schedule", "mesh:8x8 LOG --mtbf 1 --repair 0.01 --requeue 3 --scheduler easy --scheduler fcfs --repeat 3"},
    {"schedule",
     "mesh:8x8 LOG --and-platform torus:8x8 --and-jobs derose:side=8,jobs=20 --set latency=1us --wrap x=torus "
     "--fail-link n1-n2 --fail-node 7 --fail-router r12"},
    {"schedule",
     "mesh:8x8 LOG --times replayed --program 'stencil:grid={size} rounds logged if name=1' --program "
     "'broadcasts:ranks={size}' --map random --map consecutive --reference random --no-alone --failing go-on --engine "
     "fluid --compute x1 --eager 1KiB --envelope 8 --collectives smpi --order node --repeats off"},
    {"schedule",
     "mesh:8x8,cores=2 LOG --times epochs --program stencil:grid={size} --ranks-per-node 2 --epoch-rounds 3 "
     "--epoch-samples 2 --epoch-error 0.1 --windows 8"},
};

std::string with(std::string text, const std::string& word, const std::string& path) {
  if (const auto at = text.find(word); at != std::string::npos) text.replace(at, word.size(), path);
  return text;
}

}  // namespace

TEST_CASE("A result that is given to --config becomes the same bytes", "[slow]") {
  const test::Scratch scratch;
  std::string log, mine;
  for (int i = 1; i <= 12; ++i) log += std::to_string(i) + " 0 -1 10 2 -1 -1 2 -1 -1 1 1 1 -1 1 -1 -1 -1\n";
  for (int i = 15; i >= 0; --i) mine += std::to_string(i) + "\n";
  const auto log_path = scratch.write("log.swf", log), map_path = scratch.write("r.map", mine);
  const auto trace_path = scratch.path("t.ti");
  REQUIRE(run_toroid("trace convert stencil:grid=4x4 -o " + trace_path).exit_code == 0);
  const auto first = scratch.path("first.json"), second = scratch.path("second.json");
  std::map<std::string, std::set<std::string>> used;
  for (const auto& [command, words] : runs) {
    const auto arguments = with(with(with(words, "LOG", log_path), "TRACE", trace_path), "MAP", map_path);
    CAPTURE(command, arguments);
    const auto told = run_toroid(command + " " + arguments + " --json " + first);
    REQUIRE((told.exit_code == 0 && told.err.empty()));
    REQUIRE(run_toroid(command + " --config " + first + " --json " + second).exit_code == 0);
    CHECK(content(first) == content(second));
    const auto record = core::parse_json(content(first))["manifest"]["arguments"];
    for (const auto& [name, value] : record.items()) used[command].insert(name);
    // What would be done is told without being done, and may be given back.
    const auto dumped = run_toroid(command + " --dump-config " + arguments);
    CHECK(core::parse_json(dumped.out)["manifest"]["arguments"] == record);
    REQUIRE(run_toroid(command + " --json " + second + " --config=" + scratch.write("dumped", dumped.out)).exit_code ==
            0);
    CHECK(content(first) == content(second));
  }
  for (const auto& command : test::recording_commands)
    for (const auto& name : test::arguments_of(command)) {
      CAPTURE(command, name);
      CHECK(used[command].contains(name));
    }
}

TEST_CASE("Files without an end to their lines are not read whole", "[slow]") {
  const test::Scratch scratch;
  const auto endless = [&](const std::string& begin) {
    const auto path = scratch.write("endless", begin);
    std::filesystem::resize_file(path, std::uint64_t{1} << 30U);
    return path;
  };
  test::check_fails("simulate --config " + endless("{\"manifest\": {\"a\": \""), 2,
                    "found more than 256 MiB, expected a smaller file");
  test::check_fails("merge " + endless(R"({"settings":{"a":")"), 2, "1: the line is longer than 67108864 bytes");
  test::check_fails("compare mesh:2 --trace stencil:grid=2 --part 1/2 -o " + endless(R"({"settings":{"a":")"), 2,
                    "1: the line is longer than 67108864 bytes");
  test::check_fails("diff " + endless(R"({"format":"toroid columns 1","meta":")") + " " + scratch.path("endless"), 2,
                    "1: the line is longer than 67108864 bytes");
}

TEST_CASE("What is said beside --config counts") {
  const test::Scratch scratch;
  const auto result = scratch.path("r.json"), other = scratch.path("other.json"), direct = scratch.path("direct.json");
  const std::string rest = " --engine fluid --at '1us:set x.bandwidth=x0.5'";
  REQUIRE(run_toroid("simulate mesh:4x4 " + cg + " --seed 3 --map random --json " + result + rest).exit_code == 0);
  REQUIRE(run_toroid("simulate torus:4x4 --seed 4 --json " + other + " --config " + result).exit_code == 0);
  REQUIRE(run_toroid("simulate torus:4x4 " + cg + " --seed 4 --map random --json " + direct + rest).exit_code == 0);
  CHECK(content(other) == content(direct));
}

TEST_CASE("What --config cannot take is told, and no result is written over by what is made of it") {
  const test::Scratch scratch;
  const auto fails = [&](const std::string& text, const std::string& message) {
    test::check_fails("simulate --config " + scratch.write("c.json", text), 2, message);
  };
  const auto manifest = [](const std::string& arguments) {
    return R"({"manifest": {"command": "simulate", "arguments": )" + arguments + "}}";
  };
  test::check_fails("simulate --config " + scratch.path("none"), 2, "no such file");
  test::check_fails("simulate --config " + scratch.path(""), 2, ": is a directory; expected a file");
  test::check_fails("simulate --config", 2, "--config");
  fails("", "found no JSON in line 1");
  fails("{\"manifest\": {\n}", "found no JSON in line 2");
  fails("[1]", "found no manifest with arguments");
  fails(R"({"manifest": {"command": "simulate"}})", "found no manifest with arguments");
  fails(R"({"manifest": {"command": "map", "arguments": {}}})",
        "found a result of toroid map, expected one of toroid sim");
  fails(R"({"manifest": {"command": 3, "arguments": {}}})",
        "found another document (type must be string, but is number), expected a result that --json or");
  fails(R"({"manifest": {"command": "simulate", "inputs": 3, "arguments": {}}})",
        "inputs: found 3, expected list of input");
  fails(manifest(R"({"--mapp": "auto"})"), "unknown argument '--mapp'; did you mean '--map'?");
  fails(manifest(R"({"--json": "x"})"), "unknown argument '--json'");
  fails(manifest(R"({"--seed": {"a": 1}})"), "\"--seed\": found {\"a\":1}, expected a text");
  fails(manifest(R"({"PLATFORM": "mesh:2x2", "TRACE": "stencil:grid=2x2", "--seed": -1})"), "-1");
  fails(manifest(R"({"PLATFORM": "mesh:2x2", "TRACE": "stencil:grid=2x2", "--engine": "warp"})"), "unknown engine");
  fails(manifest("{}"), "PLATFORM is required");

  const auto trace = scratch.write("t.ti", "0 compute 1\n");
  const auto result = scratch.path("r.json");
  REQUIRE(run_toroid("simulate mesh:1x1 " + trace + " --engine fluid --json " + result).exit_code == 0);
  const auto before = content(result);
  test::check_fails("simulate --json " + result + " --config " + result, 2, "r.json");
  CHECK(content(result) == before);
  scratch.write("t.ti", "0 compute 2\n");
  test::check_fails("simulate --config " + result, 2, "has changed since this result was made from it");
  CHECK(run_toroid("simulate --config " +
                   scratch.write("old", R"({"manifest": {"toroid": "0.0.1", "command": "simulate", "arguments": )"
                                        R"({"PLATFORM": "mesh:2x2", "TRACE": "stencil:grid=2x2"}}})"))
            .err.find("is by toroid 0.0.1") != std::string::npos);
}

TEST_CASE("Events of a schedule are the same, whether a picture was drawn or not") {
  const test::Scratch scratch;
  const auto first = scratch.path("first.json"), second = scratch.path("second.json");
  REQUIRE(run_toroid("schedule mesh:8x8 derose:side=8,jobs=20 --at '1s:fail-node 3 until 2s' --gantt " +
                     scratch.path("picture.svg") + " --json " + first)
              .exit_code == 0);
  REQUIRE(run_toroid("schedule --config " + first + " --json " + second).exit_code == 0);
  CHECK(content(first) == content(second));
}
