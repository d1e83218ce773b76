// Runs in the formats of viewers, held against the run, and read by the viewers' own tools where they are there.

#include "views/timelines/formats.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/perfetto_trace.hpp"
#include "tests/views/viewed_run.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/json.hpp"

using namespace toroid;
using core::Json;
using test::random_run;
using test::Viewed;
using test::viewed;
using test::written;

namespace {

/// Seconds of a rank by what its slices say that it did, and how many there were.
struct Seconds {
  double computing = 0, transfer = 0, wait = 0;
  std::size_t slices = 0;

  void add(const std::string& name, const std::string& category, double seconds) {
    ++slices;
    if (category == "compute") computing += seconds;
    if (name == "message on its way") transfer += seconds;
    if (name == "for a partner") wait += seconds;
  }
};

/// All that ranks did, each event rounded to a nanosecond or two.
void check_seconds(const Viewed& run, const std::map<int, Seconds>& found) {
  for (const auto rank : run.result.ranks.ids()) {
    CAPTURE(rank);
    const auto& report = run.result.ranks[rank];
    const auto none = Seconds();
    const auto& seconds = found.contains(rank.value()) ? found.at(rank.value()) : none;
    const auto rounding = 2e-9 * static_cast<double>(run.result.timeline.calls[rank].size() + seconds.slices + 1);
    CHECK(seconds.computing == Approx(report.compute).epsilon(1e-9).margin(rounding));
    CHECK(seconds.transfer == Approx(report.transfer).epsilon(1e-9).margin(rounding));
    CHECK(seconds.wait == Approx(report.wait).epsilon(1e-9).margin(rounding));
  }
}

/// What Perfetto makes of a trace: checks its rules for tracks, slices and arrows.
void check_perfetto(const Viewed& run, const std::string& bytes) {
  struct Slice {
    std::int64_t begin;
    std::string name, category;
  };
  struct Track {
    std::vector<Slice> open;
    std::int64_t last = 0;
  };
  const auto trace = test::read_perfetto(bytes);
  std::map<std::string, Track> tracks;
  std::map<std::uint64_t, std::int64_t> begun, ended;
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> counters;
  std::set<std::string> ranks;
  std::map<int, Seconds> seconds;
  for (const auto& track : trace["tracks"])
    if (track["group"] == "trace \"1\" on platform, map map, engine fluid") ranks.insert(track["name"]);
  CHECK(ranks.size() == run.result.ranks.size());
  for (const auto& event : trace["events"]) {
    const auto time = event["time"].get<std::int64_t>();
    if (event["kind"] == "counter") {
      counters[event["track"]].emplace_back(time, event["value"].get<double>());
      continue;
    }
    // The events of a track stand in the order of time, so that viewers need not choose among equal times.
    auto& track = tracks[event["track"]];
    REQUIRE(time >= track.last);
    track.last = time;
    const auto name = event["track"].get<std::string>();
    REQUIRE(name.starts_with("rank "));
    if (event["kind"] == "begin") track.open.push_back({time, event["name"], event["category"]});
    // Arrows of an end belong to the slice that ends, as those of other events do to theirs.
    for (const auto& [field, arrows] : {std::pair("flows", &begun), {"ending_flows", &ended}})
      for (const auto& id : event.value(field, Json::array()))
        CHECK(arrows->emplace(id.get<std::uint64_t>(), time).second);
    if (event["kind"] != "end") continue;
    REQUIRE(!track.open.empty());
    const auto& slice = track.open.back();
    seconds[std::stoi(name.substr(5))].add(slice.name, slice.category, 1e-9 * static_cast<double>(time - slice.begin));
    track.open.pop_back();
  }
  for (const auto& [key, track] : tracks) CHECK(track.open.empty());
  CHECK(begun.size() == run.result.messages);
  CHECK(ended.size() == run.result.messages);
  for (const auto& [id, time] : begun) CHECK(ended.at(id) >= time);
  for (const auto& [id, time] : begun) {
    const auto& message = run.result.timeline.messages.at(id);
    CHECK(time == std::llround(1e9 * message.begin));
    CHECK(ended.at(id) == std::llround(1e9 * message.end));
  }
  check_seconds(run, seconds);
  const auto busiest = run.result.bottlenecks();
  CHECK(counters.size() == busiest.size());
  for (const auto& link : busiest) {
    const auto& values = counters.at(run.machine.link_name(link.link));
    double sum = 0;
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
      sum += values[i].second * static_cast<double>(values[i + 1].first - values[i].first);
    CHECK(sum / 1e9 / run.result.runtime / 100 == Approx(link.mean_utilization).epsilon(1e-3));
    CHECK(values.back().second == 0);
  }
}

/// A run that has been going on for so long that a double knows no nanosecond any more.
Viewed late_run() {
  std::string text = "0 sleep 1e8\n1 sleep 1e8\n";
  for (int i = 0; i < 20; ++i) text += "0 sleep 1e-3\n0 send 1 0 1000\n1 recv 0 0 1000\n";
  return {"mesh:2,bandwidth=1GBps,latency=100ns", test::trace_of(text)};
}

}  // namespace

TEST_CASE("a trace holds what Perfetto asks of it, and all of the run") {
  const test::Scratch scratch;
  for (const auto* program :
       {"stencil:grid=4x4,steps=3", "lulesh:ranks=8,steps=2", "cg:class=S,ranks=16,iterations=1"}) {
    CAPTURE(program);
    const auto run = viewed("torus:4x4,speed=1Gf", program);
    check_perfetto(run, written("perfetto", run, scratch.path("run.pftrace")));
  }
  for (std::uint64_t i = 0; i < 20; ++i) {
    CAPTURE(i);
    const auto run = random_run(i);
    check_perfetto(run, written("perfetto", run, scratch.path("run.pftrace")));
  }
}

TEST_CASE("late in a long run no wait is lost") {
  const test::Scratch scratch;
  const auto run = late_run();
  const auto trace = test::read_perfetto(written("perfetto", run, scratch.path("run.pftrace")));
  std::size_t waits = 0;
  for (const auto& event : trace["events"]) waits += event.value("name", "") == "for a partner" ? 1 : 0;
  CHECK(waits == 20);
}

TEST_CASE("messages of a rank to itself, of no length and no latency, begin before they end") {
  const test::Scratch scratch;
  const Viewed run("mesh:2,latency=0s,loopback_lat=0s",
                   test::trace_of("0 irecv 0 3 0\n0 isend 0 3 0\n0 waitall 2\n0 isend 1 4 0\n1 recv 0 4 0\n"));
  REQUIRE(run.result.messages == 2);
  check_perfetto(run, written("perfetto", run, scratch.path("run.pftrace")));
}

TEST_CASE("a graph is a call that lasts, in which its computations and waits are") {
  const test::Scratch scratch;
  const auto path = scratch.write("t.goal",
                                  "num_ranks 2\nrank 0 {\nl1: calc 1000\nl2: send 64b to 1 tag 5\nl2 requires l1\n"
                                  "l3: recv 32b from 1 tag 6\n}\nrank 1 {\nl1: recv 64b from 0 tag 5\nl2: calc 2000\n"
                                  "l2 requires l1\nl3: send 32b to 0 tag 6\nl3 requires l2\n}\n");
  const auto run = viewed("mesh:2,bandwidth=1GBps,latency=100ns", path);
  check_perfetto(run, written("perfetto", run, scratch.path("run.pftrace")));
}

TEST_CASE("each core of a graph is a track of Perfetto below that of its rank") {
  const test::Scratch scratch;
  const auto run = viewed("mesh:1", scratch.write("t.goal",
                                                  "num_ranks 1\nrank 0 {\na: calc 5000\nb: calc 6000 cpu 1\n"
                                                  "c: calc 3000 cpu 1\n}\n"));
  const auto trace = test::read_perfetto(written("perfetto", run, scratch.path("run.pftrace")));
  std::map<std::string, std::vector<std::int64_t>> times;
  for (const auto& event : trace["events"])
    if (event.value("group", "") == "rank 0 on n0") times[event["track"]].push_back(event["time"].get<std::int64_t>());
  CHECK(times == std::map<std::string, std::vector<std::int64_t>>{{"rank 0, core 0", {0, 5000}},
                                                                  {"rank 0, core 1", {0, 6000, 6000, 9000}}});
}

TEST_CASE("a run that is longer than the clock of a format goes is refused") {
  const test::Scratch scratch;
  const Viewed run("mesh:2", test::trace_of("0 sleep 1e11\n"));
  for (const auto& format : views::run_formats().entries()) {
    CAPTURE(format.name);
    const auto error = test::error_of([&] {
      core::OutputSet outputs;
      if (format.make.write_file != nullptr) format.make.write_file(run.run(), outputs.add(scratch.path("f")));
      if (format.make.write_folder == nullptr) return;
      auto& folder = outputs.add_folder(scratch.path("folder"));
      folder.create();
      format.make.write_folder(run.run(), folder);
    });
    if (format.make.missing.empty()) CHECK_THAT(error, Catch::Contains("the run takes 1e+11 s"));
  }
}

TEST_CASE("runs without ranks' time, messages or windows are written, too") {
  const test::Scratch scratch;
  for (const auto* program :
       {"0 init\n0 finalize\n", "0 compute 1e6\n0 isend 1 0 10\n0 compute 5e6\n1 compute 2e6\n1 recv 0 0 10\n"})
    for (const auto windows : {0U, 4U})
      for (const auto& format : views::run_formats().entries()) {
        if (format.make.write_file == nullptr) continue;
        const Viewed run("mesh:2", test::trace_of(program), windows);
        const auto text = written(std::string(format.name), run, scratch.path("f"));
        if (format.name == "perfetto") CHECK_NOTHROW(test::read_perfetto(text));
        CHECK(!text.empty());
      }
}
