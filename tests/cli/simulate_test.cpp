// The command as a user runs it: what it prints, where, and with which exit code.

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "netsim/engines/simgrid_module.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

using namespace toroid;
using test::check_fails;
using test::run_toroid;

namespace {

constexpr const char* small = "simulate mesh:4x4 stencil:grid=4x4,steps=2";

TEST_CASE("An explanation is printed, is in the JSON, and changes nothing else of the result") {
  const test::Scratch scratch;
  const auto run = [&](const std::string& more, const std::string& file) {
    const auto done = run_toroid("simulate mesh:4x4 cg:class=S,ranks=16,iterations=2 --engine fluid --repeats off " +
                                 more + " --json " + scratch.path(file));
    REQUIRE(done.exit_code == 0);
    auto json = core::parse_json(test::content(scratch.path(file)));
    json.erase("manifest");
    return std::pair(done.out, json);
  };
  const auto plain = run("", "plain.json").second;
  auto [text, explained] = run("--explain", "explained.json");
  for (const auto* part : {"what the time is made of", "where sharing loses time", "links that lose most",
                           "the critical path", "with --set x.bandwidth=x2", "what to change"})
    CHECK_THAT(text, Catch::Contains(part));
  double seconds = 0;
  for (const auto& cause : explained["explanation"]["causes"]) seconds += cause["seconds"].get<double>();
  CHECK(seconds == Approx(explained["runtime_s"].get<double>()));
  explained.erase("explanation");
  CHECK(explained == plain);
  test::check_fails("simulate mesh:2x2 --job stencil:grid=2x2 --explain --windows 0", 2,
                    "expected --windows of 1 or more");
  test::check_fails("simulate mesh:2x2 stencil:grid=2x2 --explain --windows 0", 2, "expected --windows of 1 or more");
}

}  // namespace

TEST_CASE("simulate prints a summary") {
  const auto r = run_toroid(small);
  CHECK(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::StartsWith("communication time ") && Catch::Contains("critical path") &&
                        Catch::Contains("busiest links"));
  CHECK(r.err.empty());
}

TEST_CASE("simulate --busiest names so many links") {
  const auto rows = [](const std::string& out) {
    const auto table = out.substr(std::min(out.find("busiest links"), out.size()));
    return std::count(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(table.find("\n\n")), '\n');
  };
  const auto usual = run_toroid(small).out;
  CHECK(rows(usual) == 5);
  CHECK(rows(run_toroid(std::string(small) + " --busiest 2").out) == 2);
  CHECK(run_toroid(std::string(small) + " --busiest 0").out.find("busiest links") == std::string::npos);
}

TEST_CASE("The file of --json leaves its tables out on request, and nothing else; other outputs have theirs") {
  const test::Scratch scratch;
  for (const std::string run :
       {"simulate mesh:4x4 stencil:grid=4x4,steps=2", "simulate mesh:4x4 --job stencil:grid=2 --job stencil:grid=3"}) {
    auto whole = test::json_of(run);
    const auto links = scratch.path("links.csv"), ranks = scratch.path("ranks.csv");
    const auto brief = test::json_of(run + " --no-tables --links-csv " + links + " --ranks-csv " + ranks);
    CHECK(whole.erase("links") == 1);
    whole.erase("ranks");
    if (whole.contains("jobs"))
      for (auto& job : whole["jobs"]) CHECK(job.erase("ranks") == 1);
    CHECK(brief == whole);
    for (const auto& table : {links, ranks}) {
      const auto text = test::content(table);
      CHECK(std::count(text.begin(), text.end(), '\n') > 1);
    }
  }
}

TEST_CASE("JSON on standard output is one object and nothing else") {
  const auto r = run_toroid(std::string(small) + " --json -");
  CHECK(r.exit_code == 0);
  CHECK(r.err.empty());
  const auto json = core::Json::parse(r.out);
  CHECK(json["schema_version"] == core::schema_version);
  CHECK(json["runtime_s"].get<double>() > 0);
  CHECK(json["manifest"]["platform"] == "mesh:4x4");
  CHECK(json["manifest"]["engine_settings"]["network/crosstraffic"] == "0");
  CHECK(json["ranks"].size() == 16);
}

TEST_CASE("the same command gives the same bytes") {
  const std::string command = "simulate torus:4x4 cg:class=S,ranks=16,iterations=1 --map random --seed 5 --json -";
  CHECK(run_toroid(command).out == run_toroid(command).out);
}

TEST_CASE("the seed changes random mappings") {
  const std::string command = "simulate mesh:4x4 cg:class=S,ranks=16,iterations=1 --map random --json - --seed ";
  CHECK(run_toroid(command + "1").out != run_toroid(command + "2").out);
}

TEST_CASE("numbers are decimal, and none is cut") {
  const std::string command = "simulate mesh:4x4 cg:class=S,ranks=16,iterations=1 --map random --json - --seed ";
  const auto seed_of = [&](const std::string& text) {
    return core::Json::parse(run_toroid(command + text).out)["manifest"]["seed"].get<std::uint64_t>();
  };
  CHECK(seed_of("010") == 10);
  CHECK(seed_of("18446744073709551615") == 18446744073709551615U);
  for (const std::string seed : {"18446744073709551616", "-1", "1.5", "0x10", "1e3"})
    check_fails(fmt::format("{} --seed {}", small, seed), 2,
                fmt::format("--seed: found '{}', expected a whole number from 0 to 18446744073709551615", seed));
  check_fails("compare mesh:2x2 --trace stencil:grid=2x2 --alpha nan", 2, "--alpha: found 'nan', expected a number");
  check_fails(std::string(small) + " --ranks-per-node 4294967297", 2, "--ranks-per-node: found '4294967297'");
}

TEST_CASE("the matrix that mappers see is an option, and in the manifest") {
  const auto manifest = [&](const std::string& options) {
    const auto r = run_toroid("simulate mesh:2x2 stencil:grid=2x2,steps=1 --map grasp:cost=td --json - " + options);
    REQUIRE(r.exit_code == 0);
    return core::Json::parse(r.out)["manifest"];
  };
  CHECK(manifest("")["matrix"] == "expanded");
  CHECK(manifest("--matrix p2p")["matrix"] == "p2p");
  check_fails(std::string(small) + " --matrix all", 2, "unknown matrix 'all'; valid: expanded, p2p");
}

TEST_CASE("a mapping file places the ranks") {
  const test::Scratch scratch;
  const auto file = scratch.write("map", "# reversed\n3\n2\n1\n0\n");
  const auto json = core::Json::parse(run_toroid("simulate mesh:4 stencil:grid=4,steps=1 --json - --map " + file).out);
  CHECK(json["ranks"][0]["node"] == 3);
  CHECK(json["manifest"]["inputs"][0]["sha256"].get<std::string>().size() == 64);
}

TEST_CASE("CSV files have a header and a row per rank or link") {
  const test::Scratch scratch;
  const auto r = run_toroid(std::string(small) + " --ranks-csv " + scratch.path("ranks.csv") + " --links-csv -");
  CHECK(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::StartsWith(
                        "link,name,bytes,messages,busy_s,mean_utilization,peak_utilization,peak_flows,kind,dimension,"
                        "direction,from,to,from_at,to_at,bandwidth_bytes_per_s,latency_s\n"));
  CHECK(std::filesystem::exists(scratch.path("ranks.csv")));
}

TEST_CASE("nodes choose where a job runs") {
  const auto json =
      core::Json::parse(run_toroid("simulate mesh:4x4 stencil:grid=2x2,steps=1 --nodes 5,6,9-10 --json -").out);
  CHECK(json["ranks"][0]["node"] == 5);
  CHECK(json["ranks"][3]["node"] == 10);
}

TEST_CASE("several ranks share a node where it has the cores") {
  const auto json = core::Json::parse(
      run_toroid("simulate mesh:2x2,cores=4 stencil:grid=4x4,steps=1 --ranks-per-node 4 --json -").out);
  CHECK(json["ranks"][5]["node"] == 1);
  check_fails("simulate mesh:2x2 stencil:grid=4x4 --ranks-per-node 4", 2,
              "--ranks-per-node: 4 ranks per node: mesh:2x2 allows 1 to 1");
}

TEST_CASE("messages of more packets than anybody can wait for are refused") {
  test::check_fails("simulate mesh:2x2 stencil:grid=2,bytes=2000GiB,steps=1 --engine packet", 1,
                    "more than 4294967296 packets of 256 bytes");
}

TEST_CASE("bad arguments: one clear line, exit code 2") {
  check_fails("simulate mesh:2x2 stencil:grid=4x4", 2, "16 ranks do not fit on 4 slots");
  check_fails("simulate mash:2x2 stencil:grid=2x2", 2, "unknown platform 'mash': did you mean 'mesh'?");
  check_fails("simulate mesh:2y2 stencil:grid=2x2", 2, "expected extents such as");
  check_fails("simulate mesh:2x2,bw=100ns stencil:grid=2x2", 2,
              "bw: '100ns' has the unit of another quantity; expected a bandwidth");
  check_fails("simulate mesh:2x2,lat=5 stencil:grid=2x2", 2, "lat: '5' has no unit");
  check_fails("simulate mesh:2x2 stencil:grid=2x2,grid=4x1", 2, "'grid' is given twice");
  check_fails("simulate mesh:2x2,color=red stencil:grid=2x2", 2, "unknown property 'color'");
  check_fails("simulate mesh:2x2 no-such-trace.ti", 2, "no such file");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --map peano", 2,
              "no such mapper and no such file; valid: auto, quick, consecutive, node, random");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --map random:sed=1", 2,
              "no key 'sed'; did you mean 'seed'? valid: seed");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --engine warp", 2, "unknown engine 'warp'; valid: simgrid");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --compute fast", 2,
              "--compute: found 'fast', expected default, none, trace, or xF");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --collectives default:bcast=tree", 2,
              "unknown algorithm 'tree' for bcast; did you mean 'trees'? valid: binomial");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --nodes 0-4", 2, "node 4 does not exist");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --eager 1ns", 2, "--eager");
  check_fails("simulate mesh:2x2", 2, "expected a TRACE, or jobs: --job TRACE");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --jsn -", 2, "--jsn");
  check_fails("list mappings", 2, "unknown list 'mappings'; did you mean 'mappers'? valid: platforms, properties");
  check_fails("simulat", 2, "unknown command 'simulat'; did you mean 'simulate'? valid: simulate");
}

TEST_CASE("bad files: file, line, found, expected; exit code 2") {
  const test::Scratch scratch;
  const auto bad_map = scratch.write("bad.map", "0\n1\n1\n2\n");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --map " + bad_map, 2,
              "rank 2 is the 2. rank on node 1, which takes 1");
  const auto text_map = scratch.write("text.map", "0\nnode1\n");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --map " + text_map, 2,
              "text.map:2: found 'node1', expected one node number");
  const auto unknown = scratch.write("unknown.ti", "0 init\n0 sned 1 0 8 6\n");
  check_fails("simulate mesh:2x2 " + unknown, 2, "unknown.ti:2: sned: unknown action");
  const auto empty = scratch.write("empty.ti", "");
  check_fails("simulate mesh:2x2 " + empty, 2, "the trace is empty");
  const auto packed =
      test::zstd_compressed(std::string("0 init\n") + std::string(10000, ' ') + "\n0 compute 5\n0 finalize\n");
  const auto cut = scratch.write("cut.ti.zst", packed.substr(0, packed.size() / 2));
  check_fails("simulate mesh:2x2 " + cut, 2, "truncated");
  const auto list = scratch.write("top", "rank0.ti\nrank1.ti\n");
  check_fails("simulate mesh:2x2 " + list, 2, "top:1: found 'rank0.ti', expected");
  check_fails("simulate mesh:2x2 " + scratch.path(""), 2, "is a directory");
}

TEST_CASE("a simulation that fails says where; exit code 1; no output file is left") {
  const test::Scratch scratch;
  const auto trace = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  check_fails("simulate mesh:2x2 " + trace + " --json " + scratch.path("out.json"), 1,
              "deadlock: 2 of 2 ranks are blocked: rank 0 in recv at");
  CHECK_FALSE(std::filesystem::exists(scratch.path("out.json")));
}

TEST_CASE("latencies that SimGrid cannot weigh by are refused") {
  for (const std::string latency : {"1ps", "10000s", "1e299s"})
    test::check_fails("simulate torus:8x8,lat=" + latency + " cg:ranks=64 --engine simgrid:sharing=latency", 2,
                      "expected 1 ns to 1000 s, or no time");
}

TEST_CASE("an output that cannot be written is an error") {
  const auto r = run_toroid(std::string(small) + " --json /no/such/folder/out.json");
  CHECK(r.exit_code == 2);
  CHECK_THAT(r.err, Catch::Contains("/no/such/folder/out.json: cannot be written"));
}

TEST_CASE("every help text says what its command does") {
  for (const char* command :
       {"", "simulate", "compare", "trace", "trace info", "trace matrix", "trace convert", "map", "platform",
        "platform show", "platform create", "platform check", "platform export", "list"}) {
    const auto r = run_toroid(std::string(command) + " --help");
    INFO(command);
    CHECK(r.exit_code == 0);
    CHECK(r.out.size() > 100);
  }
  CHECK_THAT(run_toroid("--version").out, Catch::StartsWith("toroid "));
}

TEST_CASE("list shows all there is") {
  const auto r = run_toroid("list");
  CHECK(r.exit_code == 0);
  CHECK_THAT(r.out, Catch::Contains("mesh") && Catch::Contains("consecutive") && Catch::Contains("stencil") &&
                        Catch::Contains("recursive_doubling") && Catch::Contains("simgrid") &&
                        Catch::Contains("openmpi"));
}

TEST_CASE("class A traces run on meshes and tori, the same bytes each time", "[slow]") {
  for (const std::string name : {"ft.A.64", "cg.A.64", "mg.A.64", "is.A.64"}) {
    if (test::is_sanitized && name != "ft.A.64") break;  // the shortest
    const auto path = test::shared_data("traces/" + name + "/trace.ti.zst");
    if (path.empty()) return;
    for (const std::string machine : {"mesh:8x8", "torus:4x4x4 --map random"}) {
      const auto command = "simulate " + machine + " " + path + " --compute trace --json -";
      const auto first = run_toroid(command);
      INFO(command);
      CHECK(first.exit_code == 0);
      CHECK(first.out == run_toroid(command).out);
    }
  }
}

TEST_CASE("a run can be verified by the reference") {
  const auto json = core::Json::parse(
      run_toroid("simulate mesh:4x4 cg:class=S,ranks=16,iterations=1 --engine fluid --verify --json -").out);
  CHECK(std::abs(json["verification"]["deviation"].get<double>()) < 1e-6);
  CHECK(json["verification"]["rank_deviation_max"].get<double>() < 1e-6);
}

TEST_CASE("a verification says how far run time and ranks are from the reference") {
  // The run by each engine, compared here. Simultaneous events come in another order here: the two differ.
  const std::string run = "simulate torus:8x8,lat=1us cg:class=S,iterations=1 --map random --json - --engine ";
  const auto reference = core::Json::parse(run_toroid(run + "simgrid").out);
  const auto checked = core::Json::parse(run_toroid(run + "fluid --verify").out);
  const auto off = [](const core::Json& time, const core::Json& expected) {
    return (time.get<double>() - expected.get<double>()) / expected.get<double>();
  };
  double largest = 0;
  for (std::size_t r = 0; r < reference["ranks"].size(); ++r)
    largest = std::max(largest, std::abs(off(checked["ranks"][r]["finish_s"], reference["ranks"][r]["finish_s"])));
  const auto& v = checked["verification"];
  CHECK(v["runtime_s"] == reference["runtime_s"]);
  CHECK(v["deviation"].get<double>() == Approx(off(checked["runtime_s"], reference["runtime_s"])).margin(1e-14));
  CHECK(v["rank_deviation_max"].get<double>() == Approx(largest).margin(1e-14));
  CHECK_THAT(run_toroid("simulate mesh:2 stencil:grid=2 --engine fluid --verify").out,
             Catch::Contains("simgrid's run time is ") && Catch::Contains("fluid differs by "));
}

TEST_CASE("a run can be verified by packets") {
  const std::string run = "simulate mesh:4x4 stencil:grid=4x4,bytes=64KiB --map random --json - --engine ";
  const auto packets = core::Json::parse(run_toroid(run + "packet").out);
  const auto checked = core::Json::parse(run_toroid(run + "fluid --verify=packet").out);
  CHECK(checked["verification"]["engine"] == "packet");
  CHECK(checked["verification"]["runtime_s"] == packets["runtime_s"]);
  check_fails("simulate mesh:2 stencil:grid=2 --engine fluid --verify=packets", 2, "packet");
}

TEST_CASE("A critical path without steps is an empty list where its steps are asked for, and not told otherwise") {
  const test::Scratch scratch;
  const auto run = "simulate mesh:2 " + scratch.write("empty.ti", "0 init\n0 finalize\n") + " --engine fluid --json - ";
  const auto asked = core::Json::parse(run_toroid(run + "--critical-path-csv " + scratch.path("steps")).out);
  CHECK(asked["critical_path"]["steps"] == core::Json::array());
  CHECK_FALSE(core::Json::parse(run_toroid(run).out)["critical_path"].contains("steps"));
  const auto drawn =
      run_toroid("simulate mesh:2 stencil:grid=2 --engine fluid --json - --html " + scratch.path("page"));
  CHECK_FALSE(core::Json::parse(drawn.out)["critical_path"].contains("steps"));
}

TEST_CASE("SimGrid is needed by its engine alone") {
  const test::Scratch scratch;
  std::filesystem::create_directory(scratch.path("bin"));
  std::filesystem::copy_file(test::toroid_command(), scratch.path("bin/toroid"));  // without what lies beside it
  const auto run = [&](const std::string& engine) {
    return std::system((scratch.path("bin/toroid") + " simulate mesh:2 stencil:grid=2 --engine " + engine + " >" +
                        scratch.path("out") + " 2>" + scratch.path("err"))
                           .c_str());
  };
  CHECK(run("fluid") == 0);
  const int status = run("simgrid");
  CHECK(WEXITSTATUS(status) == 2);
  const auto said = test::content(scratch.path("err"));
  CHECK_THAT(said, Catch::StartsWith(
                       "toroid: engine simgrid (package libsimgrid3.32): libtoroid_platform.so cannot be loaded: "));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  // An empty entry of LD_LIBRARY_PATH is the current folder, with a library that somebody has put there.
  const auto source = scratch.write("mine.c",
                                    "#include <stdio.h>\n__attribute__((constructor)) static void begin(void) "
                                    "{ puts(\"loaded\"); }\n");
  REQUIRE(std::system(("cc -shared -fPIC -o " + scratch.path("libtoroid_platform.so") + " " + source).c_str()) == 0);
  for (const std::string folders : {":/nowhere", "/nowhere::", ".", "../x:."})
    for (const std::string& program : {scratch.path("bin/toroid"), test::toroid_command()}) {
      CAPTURE(folders, program);
      const auto r = test::run_script("cd " + scratch.path("") + "; LD_LIBRARY_PATH=" + folders + " " + program +
                                      " simulate mesh:2 stencil:grid=2 --engine simgrid");
      CHECK(r.out.find("loaded") == std::string::npos);
      CHECK(r.exit_code == (program == test::toroid_command() ? 0 : 2));
    }
}

TEST_CASE("SimGrid's engine is refused from a module of another build") {
  const test::Scratch scratch;
  std::filesystem::copy_file(test::toroid_command(), scratch.path("toroid"));
  const auto folder = std::filesystem::path(test::toroid_command()).parent_path();
  auto module = test::content((folder / "libtoroid_platform.so").string());
  const auto stamp = module.find(netsim::build_stamp());
  REQUIRE(stamp != std::string::npos);
  REQUIRE(module.find(netsim::build_stamp(), stamp + 1) == std::string::npos);
  module[stamp] = module[stamp] == '0' ? '1' : '0';
  scratch.write("libtoroid_platform.so", module);
  const auto r = test::run_script(scratch.path("toroid") + " simulate mesh:2 stencil:grid=2");
  CHECK(r.exit_code == 2);
  CHECK(r.err == "toroid: engine simgrid: " + scratch.path("libtoroid_platform.so") +
                     " is of another build than this program; expected the one made with it (LD_LIBRARY_PATH is "
                     "searched first)\n");
}

TEST_CASE("want of memory is told in one line, however far a run has come") {
  if (test::is_sanitized) return;  // the sanitizers need memory of their own
  int failed = 0;
  for (const int megabytes : {70, 100, 130, 160, 190, 220}) {
    CAPTURE(megabytes);
    const auto r = test::run_script(fmt::format(
        "ulimit -v {}; $toroid simulate torus:128x128 stencil:grid=128x128,steps=2 --engine fluid", 1024 * megabytes));
    if (r.exit_code == 0) continue;
    ++failed;
    CHECK(r.exit_code == 1);
    CHECK(r.err == fmt::format("toroid: {}\n", core::out_of_memory));
  }
  CHECK(failed > 0);
}

TEST_CASE("inputs that cannot be read twice and outputs on full devices are errors") {
  check_fails("simulate mesh:2x2 /dev/zero", 2, "is no regular file");
  const auto full = run_toroid(std::string(small) + " --json /dev/full");
  CHECK(full.exit_code == 2);
  CHECK(std::filesystem::is_character_file("/dev/full"));
}

TEST_CASE("a run by packets says once where buffers are too small, with the size that would do") {
  const std::string command = "mesh:4,bw=8GBps stencil:grid=4,steps=1,bytes=16KiB --engine packet:vcs=2";
  const auto run = run_toroid("simulate " + command + ",buffer=256");
  const auto at = run.out.find("note ");
  REQUIRE(at != std::string::npos);
  CHECK(run.out.find("note ", at + 1) == std::string::npos);
  CHECK(run.out.find("buffer=1024 would do") != std::string::npos);
  CHECK(run_toroid("simulate " + command + ",buffer=1KiB").out.find("note ") == std::string::npos);
  CHECK(run_toroid("simulate " + command).out.find("note ") == std::string::npos);
  const auto json = core::Json::parse(run_toroid("simulate " + command + ",buffer=256 --json -").out);
  CHECK(json["remarks"].size() == 1);
  const auto compared = run_toroid(
      "compare mesh:4,bw=8GBps --trace stencil:grid=4,steps=1 --map random hilbert --engines "
      "fluid packet:vcs=2,buffer=256 --no-verify");
  CHECK(compared.out.find("buffer=1024 would do") != std::string::npos);
}

TEST_CASE("An order of messages that is none is refused") {
  test::check_fails("simulate mesh:2x2 stencil:grid=2x2 --order fifo", 2, "expected pair, node or shared");
}
