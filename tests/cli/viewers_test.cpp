// What commands write for viewers and tools of others.

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/text.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using core::Json;
using test::content;
using test::run_toroid;

TEST_CASE("a schedule as trace events has each job once, on tracks where no two overlap") {
  const test::Scratch scratch;
  const auto events = scratch.path("jobs.json"), jobs = scratch.path("jobs.csv"), states = scratch.path("states.csv");
  REQUIRE(run_toroid("schedule mesh:8x8 derose:side=8,jobs=200 --mtbf 20 --requeue 50 --perfetto " + events +
                     " --jobs-csv " + jobs + " --machine-states-csv " + states)
              .exit_code == 0);
  std::map<int, double> busy_until;
  std::set<std::string> names;
  std::map<double, double> held;
  const auto document = core::parse_json(content(events));
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] == "C" && event["name"] == "nodes that jobs have") held[event["ts"]] = event["args"]["nodes"];
    if (event["ph"] != "X") continue;
    const double begin = event["ts"], length = event["dur"];
    auto& until = busy_until[event["tid"]];
    CHECK(begin >= until - 1e-3);
    until = begin + length;
    names.insert(event["name"]);
    CHECK(event["args"]["waited_s"] >= 0);
  }
  CHECK(names.size() == 200);
  CHECK(held.rbegin()->second == 0);
  // The table of states says the same of nodes that compute, and that no node is nowhere.
  std::size_t lines = 0;
  double before = -1;
  const auto table = content(states);
  for (const auto line : core::split(core::trim(table), '\n')) {
    if (lines++ == 0) {
      CHECK(line == "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing,nb_unavailable");
      continue;
    }
    std::vector<double> f;
    for (const auto field : core::split(line, ',')) f.push_back(std::stod(std::string(field)));
    REQUIRE(f.size() == 7);
    CHECK(f[4] + f[5] + f[6] == 64);
    CHECK(f[0] >= before);
    before = f[0];
    auto counter = held.upper_bound(1e6 * f[0] + 1);
    CHECK(f[5] == (counter == held.begin() ? 0 : std::prev(counter)->second));
  }
  CHECK(lines > 200);
  test::check_fails("schedule mesh:8x8 derose:side=8,jobs=20 --repeat 2 --alloc random --perfetto x", 2,
                    "--perfetto tells of one run");
}

TEST_CASE("a study as Vega-Lite has its runs, and names only fields that they have") {
  const test::Scratch scratch;
  const auto vega = scratch.path("v.json"), csv = scratch.path("s.json");
  REQUIRE(run_toroid("compare mesh:3x3 torus:3x3 --trace stencil:grid=3x3 stencil:grid=2x2 --map random consecutive "
                     "--repeat 4 --no-verify --vega " +
                     vega + " --json " + csv)
              .exit_code == 0);
  const auto spec = core::parse_json(content(vega)), study = core::parse_json(content(csv));
  const auto& values = spec["data"]["values"];
  REQUIRE(values.size() == study["rows"].size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i]["runtime_s"] == study["rows"][i]["runtime_s"]);
  CHECK(spec["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json");
  std::set<std::string> fields;
  const std::function<void(const Json&)> look = [&](const Json& part) {
    if (part.is_object() && part.contains("field")) fields.insert(part["field"].get<std::string>());
    if (part.is_structured())
      for (const auto& one : part) look(one);
  };
  look(spec["spec"]);
  look(spec["facet"]);
  CHECK(fields == std::set<std::string>{"machine", "map", "runtime_s", "trace"});
  for (const auto& field : fields) CHECK(values[0].contains(field));
}

TEST_CASE("pictures of a study have the runs of all engines") {
  const test::Scratch scratch;
  REQUIRE(run_toroid("compare mesh:3x3 --trace stencil:grid=3x3 --map random consecutive --repeat 4 --no-verify "
                     "--engines fluid packet --vega " +
                     scratch.path("v.json") + " --svg " + scratch.path("x.svg") + " --json " + scratch.path("s.json"))
              .exit_code == 0);
  const auto spec = core::parse_json(content(scratch.path("v.json")));
  const auto study = core::parse_json(content(scratch.path("s.json")));
  const auto& values = spec["data"]["values"];
  const auto &fluid = study["rows"], &packet = study["opinions"][0]["rows"];
  REQUIRE(values.size() == fluid.size() + packet.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_first = i < fluid.size();
    CHECK(values[i]["engine"] == (is_first ? "fluid" : "packet"));
    CHECK(values[i]["runtime_s"] == (is_first ? fluid[i] : packet[i - fluid.size()])["runtime_s"]);
  }
  for (const auto& layer : spec["spec"]["layer"]) CHECK(layer["encoding"]["xOffset"]["field"] == "engine");
  CHECK(spec["spec"]["layer"][0]["encoding"]["color"]["field"] == "engine");
  CHECK_THAT(content(scratch.path("x.svg")), Catch::Contains("mesh:3x3, fluid") && Catch::Contains("mesh:3x3, packet"));
}

TEST_CASE("machines are exported by the name of the format") {
  CHECK(run_toroid("platform export mesh:2x2 --to graphml").out.find("<graphml") != std::string::npos);
  CHECK(run_toroid("platform export mesh:2x2 --to dot").out.find("digraph") != std::string::npos);
  CHECK(run_toroid("platform export torus:4x4 --to simgrid").out ==
        run_toroid("platform export torus:4x4 --simgrid").out);
  CHECK(run_toroid("platform export torus:4x4 --to toroid").out == run_toroid("platform export torus:4x4").out);
  test::check_fails("platform export mesh:2x2 --to graphm", 2, "did you mean 'graphml'?");
  test::check_fails("platform export mesh:2x2 --to dot --simgrid", 2, "excludes");
}
