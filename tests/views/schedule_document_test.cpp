// What is drawn of a schedule, held against what other observers of it tell.

#include "views/documents/schedule_document.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "cosim/jobs_csv.hpp"
#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"
#include "tests/views/documents.hpp"
#include "toroid/platforms/load.hpp"
#include "views/machines/holds.hpp"
#include "workloads/collectives/schedule.hpp"

using namespace toroid;
using platforms::NodeId;
using test::Document;

namespace {

struct Schedule {
  platforms::Machine machine;
  cosim::GanttObserver history = {};
  cosim::SnapshotObserver snapshots;
  std::string timeline = {};
};

/// Runs random jobs whose demand changes, on a machine whose nodes fail.
Schedule run(const std::string& platform, std::uint64_t seed, std::vector<double> times, int count = 60) {
  Schedule schedule{platforms::make_machine(platform), {}, cosim::SnapshotObserver(std::move(times))};
  cosim::TimelineCsv timeline(schedule.machine, [&](std::string_view line) { schedule.timeline += line; });
  auto listed = cosim::random_jobs(seed, count, 12);
  for (auto& job : listed) job.demand = static_cast<jobs::Demand>(job.number % 4);
  const cosim::ListedJobs jobs(listed);
  cosim::Options options;
  options.dynamic = true;
  options.failures = {2000, 30, 5};
  cosim::ScheduleRequest request{schedule.machine, jobs, "easy", "random"};
  request.options = options;
  request.seed = seed;
  request.observers = {&schedule.history, &schedule.snapshots, &timeline};
  cosim::run_schedule(request);
  return schedule;
}

/// The nodes of each name at a time, by the columns.
std::map<std::string, std::set<std::uint32_t>> held_at(const Document& document, double time) {
  const auto job = document.column<std::uint32_t>("hold_job"), runs = document.column<std::uint32_t>("hold_runs_begin"),
             first = document.column<std::uint32_t>("run_first_node"),
             count = document.column<std::uint32_t>("run_nodes"),
             name_begin = document.column<std::uint32_t>("job_name_begin");
  const auto begin = document.column<double>("hold_begin"), end = document.column<double>("hold_end");
  const auto names = document.column<std::uint8_t>("job_name");
  std::map<std::string, std::set<std::uint32_t>> held;
  for (std::size_t h = 0; h < job.size(); ++h) {
    if (time < begin[h] || time >= end[h]) continue;
    const std::string name(names.begin() + name_begin[job[h]], names.begin() + name_begin[job[h] + 1]);
    for (auto r = runs[h]; r < runs[h + 1]; ++r)
      for (auto node = first[r]; node < first[r] + count[r]; ++node) CHECK(held[name].insert(node).second);
  }
  return held;
}

}  // namespace

TEST_CASE("Columns of a schedule have who holds which node at any time, as snapshots have it") {
  for (const auto seed : {1U, 2U, 3U}) {
    std::vector<double> times;
    for (int i = 0; i < 40; ++i) times.push_back(0.5 + 7 * i);
    auto schedule = run("mesh:5x5,service-nodes=24", seed, times);
    const Document document(
        views::schedule_columns(schedule.machine, schedule.history, {}, {"m", "j", "s", "a"}).document());
    std::size_t held = 0;
    for (const auto& snapshot : schedule.snapshots.finish()) {
      std::map<std::string, std::set<std::uint32_t>> expected;
      for (const auto& holder : snapshot.holders)
        for (const auto node : holder.nodes) expected[holder.name].insert(static_cast<std::uint32_t>(node.value()));
      CAPTURE(snapshot.time);
      CHECK(held_at(document, snapshot.time) == expected);
      held += expected.size();
    }
    CHECK(held > 20);
    const auto changes = document.column<std::uint32_t>("hold_job").size();
    CHECK(changes > document.column<double>("job_started").size());  // demands change
    CHECK(document.column<std::uint32_t>("out_node").size() > 0);
  }
}

TEST_CASE("Pieces of what is free are those of the timeline") {
  const auto schedule = run("torus:4x4", 7, {});
  const Document document(
      views::schedule_columns(schedule.machine, schedule.history, {}, {"m", "j", "s", "a"}, {}, 100).document());
  const auto time = document.column<double>("sample_time");
  const auto free = document.column<std::uint32_t>("sample_free_nodes"),
             regions = document.column<std::uint32_t>("sample_regions"),
             largest = document.column<std::uint32_t>("sample_largest_region");
  REQUIRE(time.size() == 100);
  // Failures of nodes are not instants of the timeline: it tells of them later. Those times are left out.
  const auto out_begin = document.column<double>("out_begin"), out_end = document.column<double>("out_end");
  std::istringstream lines(schedule.timeline);
  std::string line;
  std::getline(lines, line);
  std::vector<std::vector<double>> told;
  while (std::getline(lines, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    told.emplace_back(std::istream_iterator<double>(fields), std::istream_iterator<double>());
  }
  std::size_t compared = 0;
  for (std::size_t i = 0; i < time.size(); ++i) {
    const std::vector<double>* last = nullptr;
    for (const auto& fields : told)
      if (fields[0] <= time[i]) last = &fields;
    REQUIRE(last != nullptr);
    const auto between = [&](double t) { return (*last)[0] < t && t <= time[i]; };
    if (std::any_of(out_begin.begin(), out_begin.end(), between) ||
        std::any_of(out_end.begin(), out_end.end(), between))
      continue;
    CHECK(free[i] == (*last)[4]);
    CHECK(regions[i] == (*last)[5]);
    CHECK(largest[i] == (*last)[6]);
    ++compared;
  }
  CHECK(compared > 50);
}

TEST_CASE("Jobs beside each other have different colours while there are some left") {
  // Each job against those that run beside it when it starts, link by link.
  for (const auto* platform : {"mesh:8x8", "torus:4x4x4", "ring:8x8,x.shared=yes", "mesh:4x4,nodes-per-router=4"}) {
    CAPTURE(platform);
    const auto schedule = run(platform, 5, {}, 150);
    const auto& machine = schedule.machine;
    const auto& jobs = schedule.history.jobs();
    const auto colours = views::colours_of(machine, jobs);
    REQUIRE(colours.size() == jobs.size());
    std::size_t beside = 0, alike = 0, crowded = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].ended <= jobs[i].started) continue;
      std::set<platforms::RouterId> near;
      const auto& first = jobs[i].changes.empty() ? jobs[i].nodes : jobs[i].changes[0].nodes;
      for (const auto node : first) near.insert(machine.router(node));
      const auto own = near;
      for (const auto link : machine.links()) {
        if (!machine.is_of_grid(link) || !machine.link_exists(link)) continue;
        const auto& grid = machine.grid();
        auto here = grid.link_source(link);
        const auto d = grid.link_dimension(link);
        const bool shared = grid.dimension(d).shared;
        for (std::int32_t step = 0; step < (shared ? grid.dimension(d).extent : 1); ++step) {
          if (shared && !grid.has_neighbour(here, d, true)) break;
          const auto next = grid.neighbour(here, d, shared || grid.link_is_forward(link));
          if (own.contains(here)) near.insert(next);
          if (own.contains(next)) near.insert(here);
          here = next;
        }
      }
      std::set<int> taken;
      bool has_own = false;
      for (std::size_t k = 0; k < jobs.size(); ++k) {
        const bool came_before = jobs[k].started < jobs[i].started && jobs[k].ended > jobs[i].started;
        if (k == i || !came_before) continue;
        bool touches = false;
        jobs[k].for_each_hold([&](const auto& nodes, double begin, double end) {
          if (begin > jobs[i].started || end <= jobs[i].started || begin == jobs[i].started) return;
          for (const auto node : nodes) touches = touches || near.contains(machine.router(node));
        });
        if (!touches) continue;
        taken.insert(colours[k]);
        has_own = has_own || colours[k] == colours[i];
        ++beside;
      }
      if (taken.size() == views::job_colours)
        ++crowded;
      else if (has_own)
        ++alike;
    }
    CHECK(beside > 100);
    CHECK(alike == 0);
    CHECK(crowded < jobs.size() / 2);
    CHECK(std::set<int>(colours.begin(), colours.end()).size() == views::job_colours);
  }
}

TEST_CASE("The page of a schedule fetches nothing, and whatever a name holds stays text") {
  const test::Scratch scratch;
  const auto swf = scratch.write("<script>&.swf", "1 0 -1 100 4 -1 -1 4 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const auto page = scratch.path("page.html"), columns = scratch.path("columns");
  const auto run = test::run_toroid("schedule mesh:2x2 '" + swf + "' --html " + page + " --columns " + columns);
  CHECK(run.exit_code == 0);
  const auto text = test::content(page);
  CHECK_THAT(text, Catch::Contains("default-src 'none'"));
  CHECK(text.find("http") == text.find("http-equiv"));
  CHECK(text.find("<script>&") == std::string::npos);
  CHECK_THAT(text, Catch::Contains("\\u003cscript>&.swf"));
  const Document document(test::content(columns));
  CHECK(document.head["meta"]["totals"]["makespan_s"] == 100);
  CHECK(document.head["meta"]["bound_of_slowdown"] == "runs below 10 s count as 10 s");
  CHECK(document.column<double>("job_ended") == std::vector<double>{100});
}

TEST_CASE("The page of a schedule in a browser: jobs, picking, zoom, keys, widths, both schemes", "[slow]") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.json", R"({"nb_res": 64,
    "jobs": [{"id": "first", "subtime": 0, "walltime": 100, "res": 32, "profile": "p"},
             {"id": "second", "subtime": 0, "walltime": 100, "res": 32, "profile": "p"},
             {"id": "third", "subtime": 1, "walltime": 100, "res": 64, "profile": "p"}],
    "profiles": {"p": {"type": "delay", "delay": 100}}})");
  const auto page = scratch.path("page.html");
  REQUIRE(test::run_toroid("schedule mesh:8x8 " + log + " --html " + page).exit_code == 0);
  test::look_at_page("schedule_page.py", page);
}

TEST_CASE("Links over time in the columns of a schedule are those of its JSON") {
  const test::Scratch scratch;
  const auto columns = scratch.path("s.columns"), json = scratch.path("s.json");
  REQUIRE(test::run_toroid("schedule torus:4x4 derose:side=4,jobs=6 --times replayed --program "
                           "'stencil:grid={box},bytes=64KiB rounds 3' --windows 8 --columns " +
                           columns + " --json " + json)
              .exit_code == 0);
  const Document document(test::content(columns));
  const auto loads = core::parse_json(test::content(json))["link_loads"];
  const auto windows = loads["windows"].size();
  REQUIRE(windows > 4);
  CHECK(document.head["meta"]["windows"] == windows);
  CHECK(document.head["meta"]["window_s"] == loads["window_s"]);
  const auto use = document.column<std::uint8_t>("link_use");
  const auto links = document.column<std::uint32_t>("link_from").size();
  REQUIRE(use.size() == windows * links);
  // All links of this machine are there, so that a link has the same number in both.
  double used = 0;
  for (const auto& link : loads["links"])
    for (std::size_t w = 0; w < windows; ++w) {
      const double bandwidth = document.column<float>("link_bandwidth")[link["link"].get<std::size_t>()];
      const double share =
          link["bytes_by_window"][w].get<double>() / bandwidth / loads["windows"][w]["seconds"].get<double>();
      CHECK(use[w * links + link["link"].get<std::size_t>()] == Approx(255 * std::min(1.0, share)).margin(1));
      used += share;
    }
  CHECK(used > 0);
  REQUIRE(test::run_toroid("schedule torus:4x4 derose:side=4,jobs=6 --columns " + columns).exit_code == 0);
  CHECK(Document(test::content(columns)).head["meta"]["windows"] == 0);
}

TEST_CASE("The page of a schedule in a browser: how links are used at a time", "[slow]") {
  const test::Scratch scratch;
  const auto trace = scratch.write("one.ti", "0 send 1 0 1000000000 6\n1 recv 0 0 1000000000 6\n");
  const auto log = scratch.write("mix.csv", "size,submitted_s,program\n2,0," + trace + "\n");
  const auto page = scratch.path("page.html");
  REQUIRE(test::run_toroid("schedule mesh:4x4 " + log + " --times replayed --windows 8 --html " + page).exit_code == 0);
  test::look_at_page("schedule_links_page.py", page, "'n0 -> n1 (+x)'");
}

namespace {

/// Jobs `a` and `b`, of users 1 and 2, on nodes 0, 2 and 1, 3 of a line; `c` is on nodes of its own.
std::string line_with_losses(const test::Scratch& scratch, const std::string& options) {
  const auto program = [&](const std::string& name, int megabytes) {
    const auto bytes = std::to_string(megabytes) + "000000";
    return scratch.write(name, "0 send 1 0 " + bytes + " 6\n1 recv 0 0 " + bytes + " 6\n");
  };
  const auto rules = fmt::format("--program '{} rounds 30 if user=1' --program '{} rounds 30 if user=2'",
                                 program("long.ti", 3), program("short.ti", 2));
  const auto log = scratch.write("log.csv",
                                 "name,size,submitted_s,wait_s,run_time_s,user,nodes\na,2,0,0,1,1,\"0,2\"\n"
                                 "b,2,0,0,1,2,\"1,3\"\nc,2,0,0,1,2,\"5,6\"\n");
  return fmt::format(
      "schedule mesh:8,bw=1GBps,lat=0s {} --scheduler as-logged --alloc as-logged --map consecutive "
      "--times replayed {} {}",
      log, rules, options);
}

}  // namespace

TEST_CASE("Columns of a schedule have whom jobs lost time to, as the CSV of jobs has it") {
  const test::Scratch scratch;
  const auto columns = scratch.path("s.columns"), csv = scratch.path("jobs.csv");
  const auto run = test::run_toroid(line_with_losses(scratch, "--columns " + columns + " --jobs-csv " + csv));
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const Document document(test::content(columns));
  const auto job = document.column<std::uint32_t>("loss_job"), to = document.column<std::uint32_t>("loss_to");
  const auto seconds = document.column<float>("loss_s");
  const auto begun = document.column<double>("job_started"), ended = document.column<double>("job_ended"),
             alone = document.column<double>("job_alone");
  REQUIRE(job.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(job[i] == to[1 - i]);
    CHECK(seconds[i] == Approx(ended[job[i]] - begun[job[i]] - alone[job[i]]));
    CHECK(seconds[i] == Approx(0.06));  // 60 MB of each pass the link while both run, at half of 1 GB/s
  }
  const auto text = test::content(csv);
  for (const auto* loss : {",a:0.06,", ",b:0.06,"}) CHECK_THAT(text, Catch::Contains(loss));
}

TEST_CASE("The page of a schedule in a browser: who slows whom", "[slow]") {
  const test::Scratch scratch;
  const auto page = scratch.path("page.html");
  const auto run = test::run_toroid(line_with_losses(scratch, "--html " + page));
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  test::look_at_page("schedule_losses_page.py", page);
}

TEST_CASE("A loss to a job that has not ended is not drawn, as the job is not") {
  const auto machine = platforms::make_machine("mesh:4");
  cosim::GanttObserver history;
  const jobs::Job log_line{};
  for (const cosim::JobId id : {1, 2}) {  // the second loses 2 s to the first, and 3 s to a third that still runs
    const auto nodes = id == 1 ? std::vector<NodeId>{0, 1} : std::vector<NodeId>{2, 3};
    cosim::Work work;
    if (id == 2) work.losses = {{3, "third", 3}, {1, "first", 2}};
    cosim::Record record{log_line, id, {}, {}, netsim::Time(10.0), netsim::Time(10.0), cosim::End::done, false, nodes};
    record.work = &work;
    history.started(record);
    history.ended(record);
  }
  const Document document(views::schedule_columns(machine, history, {}, {}).document());
  CHECK(document.column<std::uint32_t>("loss_job") == std::vector<std::uint32_t>{1});
  CHECK(document.column<std::uint32_t>("loss_to") == std::vector<std::uint32_t>{0});
  CHECK(document.column<float>("loss_s") == std::vector<float>{2});
}
