// What commands write for viewers and tools of others.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "tests/support/perfetto_trace.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"
#include "toroid/core/text.hpp"

using namespace toroid;
using core::Json;
using test::content;
using test::run_script;
using test::run_toroid;

namespace {

bool there_is(const std::string& command) {
  const bool there = std::system(("command -v " + command + " > /dev/null").c_str()) == 0;
  if (!there) WARN("skipped in part: there is no " << command);
  return there;
}

/// Whether this toroid was built with the OTF2 library.
bool writes_otf2() {
  const auto r = run_toroid("simulate mesh:2 stencil:grid=2 --engine fluid --otf2 /proc/none");
  const bool writes = r.err.find("without the OTF2 library") == std::string::npos;
  if (!writes) WARN("skipped: built without OTF2");
  return writes;
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

const std::string lulesh_run = "simulate torus:4x4 lulesh:ranks=8,steps=2 --compute x1 --engine fluid ";

}  // namespace

TEST_CASE("a predicted run as OTF2 has the calls and messages of the run") {
  if (!writes_otf2()) return;
  const test::Scratch scratch;
  const auto folder = scratch.path("run"), result = scratch.path("r.json");
  REQUIRE(run_toroid(lulesh_run + "--otf2 " + folder + " --json " + result).exit_code == 0);
  const auto json = core::parse_json(content(result));
  CHECK(names_in(scratch.path("")) == std::set<std::string>{"run", "r.json"});
  if (!there_is("otf2-print")) return;
  const auto print = run_script("otf2-print " + folder + "/traces.otf2");
  REQUIRE(print.exit_code == 0);
  CHECK(print.err.empty());
  std::map<std::string, std::size_t> counts;
  double computed = 0;
  std::map<std::string, double> since;
  for (const auto line : core::split(print.out, '\n')) {
    std::vector<std::string> words;
    for (const auto word : core::split(line, ' '))
      if (!word.empty()) words.emplace_back(word);
    if (words.size() < 3) continue;
    ++counts[words[0]];
    if (line.find("\"compute\"") == std::string_view::npos) continue;
    if (words[0] == "ENTER") since[words[1]] = std::stod(words[2]);
    if (words[0] == "LEAVE") computed += 1e-12 * (std::stod(words[2]) - since.at(words[1]));
  }
  CHECK(counts["MPI_SEND"] == json["messages"]);
  CHECK(counts["MPI_RECV"] == json["messages"]);
  CHECK((counts["ENTER"] > 100 && counts["ENTER"] == counts["LEAVE"]));
  double expected = 0;
  for (const auto& rank : json["ranks"]) expected += rank["compute_s"].get<double>();
  CHECK(computed == Approx(expected).epsilon(1e-6));
  // Whatever engine, in whatever process, and verified or not.
  for (const std::string how : {"--engine simgrid", "--engine packet --verify=fluid"}) {
    const auto other = scratch.path("other");
    REQUIRE(
        run_toroid("simulate torus:4x4 lulesh:ranks=8,steps=2 --compute x1 " + how + " --otf2 " + other).exit_code ==
        0);
    const auto sends = run_script("otf2-print " + other + "/traces.otf2 | grep -c ^MPI_SEND");
    CHECK(std::stoul(sends.out) == json["messages"]);
    std::filesystem::remove_all(other);
  }
}

TEST_CASE("an archive of a predicted run has the same bytes each time, and is read with the messages of the run") {
  if (!writes_otf2()) return;
  const test::Scratch scratch;
  const auto one = scratch.path("one"), other = scratch.path("other"), different = scratch.path("different");
  for (const auto& folder : {one, other}) REQUIRE(run_toroid(lulesh_run + "--otf2 " + folder).exit_code == 0);
  REQUIRE(run_toroid("simulate torus:2x2 stencil:grid=2x2 --otf2 " + different).exit_code == 0);
  for (const auto& file : {"/traces.otf2", "/traces.def", "/traces/0.evt", "/traces/7.evt"})
    CHECK(content(one + file) == content(other + file));
  CHECK(content(one + "/traces.otf2") != content(different + "/traces.otf2"));
  const auto again = run_toroid("trace matrix " + one + "/traces.otf2");
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, Catch::Contains("toroid predicted this run"));
  CHECK(again.out == run_toroid("trace matrix lulesh:ranks=8,steps=2").out);
  CHECK(run_toroid("simulate torus:4x4 " + one + "/traces.otf2").exit_code == 0);
}

TEST_CASE("ViTE draws a run as OTF2") {
  if (!there_is("vite") || !writes_otf2()) return;
  const test::Scratch scratch;
  const auto drawing = scratch.path("drawing.svg");
  REQUIRE(run_toroid(lulesh_run + "--otf2 " + scratch.path("run")).exit_code == 0);
  const auto vite = run_script("cd " + scratch.path("") + "; QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$PWD vite -e " +
                               drawing + " " + scratch.path("run/traces.otf2"));
  CHECK(vite.exit_code == 0);
  CHECK_THAT(vite.out + vite.err, Catch::Contains("0 errors and 0 warnings were found"));
  CHECK_THAT(content(drawing), Catch::Contains("rank 7") && !Catch::Contains("rank 8"));
}

TEST_CASE("an OTF2 folder is new, judged before the run, and appears with the other outputs or not at all", "[slow]") {
  if (!writes_otf2()) return;
  const test::Scratch scratch;
  const auto folder = scratch.path("run");
  // A run that would take minutes: nothing waits for its end.
  const std::string long_run = "simulate torus:16x16x16 stencil:grid=16x16x16,steps=100000 --engine fluid ";
  std::filesystem::create_directory(folder);
  test::check_fails(long_run + "--otf2 " + folder, 2, "is there already; expected the name of a new folder");
  std::filesystem::remove(folder);
  test::check_fails(long_run + "--otf2 " + scratch.path("none/run"), 2, "No such file or directory");
  test::check_fails(long_run + "--otf2 /proc/run", 2, "/proc/run: cannot be written");
  test::check_fails(long_run + "--otf2 -", 2, "-: found a stream, expected the name of a new folder");
  test::check_fails(long_run + "--otf2 " + folder + " --json " + folder, 2, "is given for two outputs");
  test::check_fails("simulate mesh:2x2 --job stencil:grid=2 --otf2 " + folder, 2, "--otf2 is for a single TRACE");
  CHECK(names_in(scratch.path("")).empty());
  REQUIRE(run_toroid(lulesh_run + "--otf2 " + folder + "/").exit_code == 0);
  CHECK(names_in(scratch.path("")) == std::set<std::string>{"run"});
  std::filesystem::remove_all(folder);
  for (const std::string signal : {"TERM", "INT", "HUP", "QUIT"}) {
    CAPTURE(signal);
    // Nobody reads the pipe: the command waits there, its archive written, but not in its place yet.
    const auto r = run_script("set -m; cd " + scratch.path("") + "; mkfifo p; sleep 50 <> p & sleeper=$!\n$toroid " +
                              "simulate mesh:16x16 stencil:grid=16x16 --engine fluid --json p --otf2 run & toroid=$!\n"
                              "until ls run.partial.* | grep -q traces.otf2; do sleep 0.05; done 2> /dev/null\n"
                              "sleep 0.2; kill -" +
                              signal + " $toroid; wait $toroid; code=$?; kill $sleeper; rm p; exit $code");
    CHECK(r.exit_code > 128);
    CHECK(names_in(scratch.path("")).empty());
  }
}

TEST_CASE("viewers that show links need windows") {
  test::check_fails(lulesh_run + "--windows 0 --perfetto x", 2,
                    "--perfetto shows the use of links over time; expected --windows of 1 or more");
}

TEST_CASE("a run of more than 292 years is refused by viewers, and nothing is written") {
  const test::Scratch scratch;
  const auto trace = scratch.write("t.ti", "0 compute 1e20\n");
  for (const std::string option : {"--perfetto", "--otf2"}) {
    if (option == "--otf2" && !writes_otf2()) continue;
    test::check_fails("simulate mesh:2,speed=1Gf " + trace + " --compute x1 --engine fluid " + option + " " +
                          scratch.path("out") + " --json " + scratch.path("json"),
                      2, "the run takes");
    CHECK(names_in(scratch.path("")) == std::set<std::string>{"t.ti"});
  }
}

TEST_CASE("files for viewers are written beside the result, which stays the same") {
  const test::Scratch scratch;
  const auto path = [&](const std::string& name) { return scratch.path(name); };
  REQUIRE(run_toroid(lulesh_run + "--json " + path("alone")).exit_code == 0);
  REQUIRE(run_toroid(lulesh_run + "--json " + path("with") + " --perfetto " + path("p.gz")).exit_code == 0);
  CHECK(content(path("alone")) == content(path("with")));
  const auto trace = test::read_perfetto(run_script("gzip -dc " + path("p.gz")).out);
  CHECK(trace["events"].size() > 100);
  CHECK(test::read_perfetto(run_toroid(lulesh_run + "--perfetto -").out) == trace);
  test::check_fails("simulate mesh:2x2 --job stencil:grid=2 --perfetto x", 2, "--perfetto is for a single TRACE");
}

TEST_CASE("the table of a machine's states says the same as the timeline, and passes the checks of evalys") {
  const test::Scratch scratch;
  const auto timeline = scratch.path("timeline.csv"), states = scratch.path("states.csv");
  REQUIRE(run_toroid("schedule mesh:8x8 derose:side=8,jobs=200 --mtbf 0.1 --repair 0.001 --requeue 50 --timeline-csv " +
                     timeline + " --machine-states-csv " + states)
              .exit_code == 0);
  const auto numbers = [](std::string_view line) {
    std::vector<double> row;
    for (const auto field : core::split(line, ',')) row.push_back(std::stod(std::string(field)));
    return row;
  };
  std::map<double, double> held;
  const auto instants = content(timeline);
  const auto timeline_lines = core::split(core::trim(instants), '\n');
  REQUIRE(timeline_lines[0].starts_with("time_s,waiting_jobs,running_jobs,held_nodes,"));
  for (const auto line : timeline_lines | std::views::drop(1)) held[numbers(line)[0]] = numbers(line)[3];
  CHECK(held.rbegin()->second == 0);
  // The checks of evalys: its columns, and as many nodes in each line.
  const auto table = content(states);
  const auto lines = core::split(core::trim(table), '\n');
  CHECK(lines[0] == "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing");
  CHECK(lines.size() > 201);
  double before = -1, most_out = 0;
  for (const auto line : lines | std::views::drop(1)) {
    const auto f = numbers(line);
    REQUIRE(f.size() == 6);
    CHECK(f[1] + f[2] + f[3] + f[4] + f[5] == 64);
    CHECK(f[2] + f[3] == 0);
    most_out = std::max(most_out, f[1]);
    CHECK(f[0] >= before);
    before = f[0];
    const auto instant = held.upper_bound(f[0] + 1e-6);
    CHECK(f[5] == (instant == held.begin() ? 0 : std::prev(instant)->second));
  }
  CHECK(most_out >= 1);  // nodes have failed
  test::check_fails("schedule mesh:8x8 derose:side=8,jobs=20 --repeat 2 --alloc random --machine-states-csv x", 2,
                    "--machine-states-csv tells of one run");
}

TEST_CASE("pictures of a study have the runs of all engines") {
  const test::Scratch scratch;
  REQUIRE(run_toroid("compare mesh:3x3 --trace stencil:grid=3x3 --map random consecutive --repeat 4 --no-verify "
                     "--engines fluid packet --svg " +
                     scratch.path("x.svg"))
              .exit_code == 0);
  CHECK_THAT(content(scratch.path("x.svg")), Catch::Contains(">fluid<") && Catch::Contains(">packet<"));
}

TEST_CASE("machines are exported by the name of the format") {
  CHECK(run_toroid("platform export mesh:2x2 --to graphml").out.find("<graphml") != std::string::npos);
  CHECK(run_toroid("platform export mesh:2x2 --to dot").out.find("digraph") != std::string::npos);
  CHECK(run_toroid("platform export torus:4x4 --to toroid").out == run_toroid("platform export torus:4x4").out);
  test::check_fails("platform export mesh:2x2 --to graphm", 2, "did you mean 'graphml'?");
}
