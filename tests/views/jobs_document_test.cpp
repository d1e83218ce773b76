// What is drawn of a run of several jobs, held against its result; and the page in a browser, where there is one.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <numeric>

#include "tests/support/support.hpp"
#include "tests/views/documents.hpp"
#include "toroid/netsim/result_json.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "views/documents/run_document.hpp"

using namespace toroid;
using test::Document;

namespace {

/// A run of jobs, each on every `step`-th node from a first one on, as toroid simulate --job --columns makes it.
struct Jobs {
  platforms::Machine machine;
  std::vector<std::unique_ptr<workloads::Trace>> traces = {};
  std::vector<netsim::PlacedJob> placed = {};
  netsim::Result result = {};

  explicit Jobs(const std::string& platform) : machine(platforms::make_machine(platform)) {}

  void add(const std::string& name, const std::string& trace, std::int32_t first, std::int32_t step = 1,
           double start = 0, std::uint32_t rounds = 1) {
    traces.push_back(workloads::TraceSource(trace).open());
    netsim::Mapping mapping;
    for (std::int32_t rank = 0; rank < traces.back()->ranks(); ++rank)
      mapping.add(platforms::NodeId(first + step * rank));
    placed.push_back({name, *traces.back(), mapping, {.compute_scale = 1}, start, rounds});
  }

  Document run(const std::string& engine = "fluid") {
    netsim::Run request{machine, placed, engine, 64};
    views::record_for_columns(request);
    result = netsim::run(request);
    std::vector<workloads::CommunicationMatrix> matrices;
    for (const auto& trace : traces) matrices.push_back(workloads::communication_matrix(*trace, {}));
    return Document(views::jobs_columns(request, result, matrices, netsim::jobs_json(request, result),
                                        {"machine", "jobs", "map", "fluid"})
                        .document());
  }
};

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Two jobs whose nodes alternate along the rows, the second of which begins later and runs three times, and a late
/// one.
Jobs crossing() {
  Jobs jobs("torus:4x6,speed=5Gf,bw=100MBps");
  jobs.add("cg", "cg:class=S,ranks=8,iterations=1", 0, 2);
  jobs.add("exchange", "stencil:grid=2x4,bytes=256KiB", 1, 2, 0.002, 3);
  jobs.add("small", "stencil:grid=2x2,steps=2", 16, 1, 0.02);
  return jobs;
}

}  // namespace

TEST_CASE("The columns of several jobs say what their result says") {
  auto jobs = crossing();
  const auto document = jobs.run();
  const auto& meta = document.head["meta"];
  REQUIRE(meta["jobs"].size() == 3);
  CHECK(meta["runtime_s"] == jobs.result.runtime);
  // Ranks, numbered on.
  const auto nodes = document.column<std::uint32_t>("rank_node");
  REQUIRE(nodes.size() == 20);
  for (std::size_t i = 0; i < nodes.size(); ++i) CHECK(nodes[i] == (i < 8 ? 2 * i : i < 16 ? 2 * (i - 8) + 1 : i));
  CHECK(meta["jobs"][1]["first_rank"] == 8);
  CHECK(meta["jobs"][2]["first_rank"] == 16);
  CHECK(meta["jobs"][2]["ranks"] == 4);
  CHECK(meta["jobs"][1]["rounds_s"].size() == 3);
  // Bytes of links are those of jobs.
  const auto begin = document.column<std::uint32_t>("link_jobs_begin");
  const auto bytes = document.column<double>("link_bytes"), of_jobs = document.column<double>("link_job_bytes");
  REQUIRE(begin.size() == bytes.size() + 1);
  for (std::size_t link = 0; link < bytes.size(); ++link)
    CHECK(std::accumulate(of_jobs.begin() + begin[link], of_jobs.begin() + begin[link + 1], 0.0) == bytes[link]);
  // Who exchanges messages is of one job.
  const auto from = document.column<std::uint32_t>("pair_from"), to = document.column<std::uint32_t>("pair_to");
  const auto job_of = [](std::uint32_t rank) { return rank < 8 ? 0U : rank < 16 ? 1U : 2U; };
  for (std::size_t i = 0; i < from.size(); ++i) CHECK(job_of(from[i]) == job_of(to[i]));
}

TEST_CASE("The critical path of each job fills its last round, and its losses are its own") {
  auto jobs = crossing();
  const auto document = jobs.run();
  const auto& meta = document.head["meta"];
  const auto rank = document.column<std::uint32_t>("step_rank");
  const auto begin = document.column<double>("step_begin"), end = document.column<double>("step_end");
  const auto job_of = [&](std::uint32_t of) { return of < 8 ? 0U : of < 16 ? 1U : 2U; };
  std::map<std::uint32_t, double> takes, lost;
  for (std::size_t i = 0; i < rank.size(); ++i) {
    const auto& job = meta["jobs"][job_of(rank[i])];
    CHECK(begin[i] >= job["last_round_begin_s"].get<double>() * (1 - 1e-12));
    CHECK(end[i] <= (job["last_round_begin_s"].get<double>() + job["last_round_s"].get<double>()) * (1 + 1e-12));
    takes[job_of(rank[i])] += end[i] - begin[i];
  }
  const auto of = document.column<std::uint32_t>("loss_link_job");
  const auto seconds = document.column<double>("loss_link_s");
  for (std::size_t i = 0; i < of.size(); ++i) lost[of[i]] += seconds[i];
  CHECK(sum(seconds) == Approx(meta["lost_s"].get<double>()));
  for (std::uint32_t job = 0; job < 3; ++job) {
    CHECK(takes[job] == Approx(jobs.result.jobs[job].rounds.back()));
    CHECK(takes[job] == Approx(meta["jobs"][job]["last_round_s"].get<double>()));
    CHECK(lost[job] == Approx(jobs.result.jobs[job].last_round->critical_path.sharing));
  }
  CHECK(lost[0] > 0);
  // Messages of other jobs are in the way, by the numbers of their own ranks.
  const auto step = document.column<std::uint32_t>("obstacle_step"),
             other = document.column<std::uint32_t>("obstacle_from");
  std::size_t of_others = 0;
  for (std::size_t i = 0; i < step.size(); ++i) of_others += job_of(rank[step[i]]) != job_of(other[i]) ? 1 : 0;
  CHECK(of_others > 0);
  CHECK(of_others < step.size());
}

TEST_CASE("What ranks of several jobs do window by window adds up over all their rounds") {
  // On links of its own each round takes the same time; the second job begins when the first has done one round.
  Jobs jobs("mesh:4x2,bw=100MBps,speed=5Gf");
  jobs.add("first", "stencil:grid=4,bytes=256KiB", 0, 1, 0, 2);
  jobs.add("second", "stencil:grid=4,bytes=256KiB", 4, 1, 0.01, 3);
  const auto document = jobs.run();
  const auto& activity = jobs.result.activity;
  REQUIRE(activity.windows > 16);
  CHECK(activity.window * static_cast<double>(activity.windows) >= jobs.result.runtime);
  REQUIRE(jobs.result.ranks.size() == 8);
  for (const auto rank : jobs.result.ranks.ids()) {
    const auto& job = jobs.result.jobs[jobs.result.job_of(rank)];
    const auto& report = jobs.result.ranks[rank];
    const auto rounds = static_cast<double>(job.rounds.size());
    double transfer = 0, wait = 0, before = 0;
    for (std::size_t w = 0; w < activity.windows; ++w) {
      transfer += activity.of(rank, w, netsim::Doing::transfer);
      wait += activity.of(rank, w, netsim::Doing::wait);
      if (activity.window * static_cast<double>(w + 1) <= job.start)
        before += activity.of(rank, w, netsim::Doing::transfer) + activity.of(rank, w, netsim::Doing::wait);
    }
    CHECK(transfer == Approx(rounds * report.transfer).epsilon(1e-4));
    CHECK(wait == Approx(rounds * report.wait).epsilon(1e-4).margin(1e-12));
    CHECK(before == 0);
  }
}

TEST_CASE("Ranks of several jobs wait in the collectives of their own job, in all its rounds") {
  // The second job has nothing but collectives, the first has none.
  Jobs jobs("mesh:4x2,bw=100MBps,speed=5Gf");
  const test::Scratch scratch;
  std::string none, all;
  for (int rank = 0; rank < 4; ++rank) none += fmt::format("{0} sendrecv 9000 {1} 9000 {1} 6 6\n", rank, rank ^ 1);
  jobs.add("first", scratch.write("none.ti", none), 0);
  for (int rank = 0; rank < 4; ++rank)
    for (int call = 0; call < 3; ++call) all += std::to_string(rank) + " allreduce 100000 0 6\n";
  jobs.add("second", scratch.write("all.ti", all), 4, 1, 0.001, 3);
  const auto document = jobs.run();
  const auto& collectives = document.head["meta"]["collectives"];
  REQUIRE(collectives.size() == 1);
  CHECK(collectives[0]["collective"] == "allreduce");
  const auto waits = document.column<float>("rank_collective_wait");
  REQUIRE(waits.size() == 8);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(waits[rank] == 0);
    const auto& report = jobs.result.ranks_of(1)[rank];
    CHECK(waits[4 + rank] == Approx(3 * (report.transfer + report.wait)).epsilon(1e-3));
  }
}

TEST_CASE("A job that is alone has the columns of a run of its program") {
  Jobs jobs("torus:4x4,injection=2GBps,speed=5Gf");
  jobs.add("cg", "cg:class=S,ranks=16,iterations=1", 0);
  const auto of_job = jobs.run();
  const auto& job = jobs.placed[0];
  netsim::Run request{jobs.machine, job.trace, job.mapping, job.options, "fluid", 64};
  views::record_for_columns(request);
  const Document of_run(views::run_columns(jobs.machine, job.mapping, netsim::run(request),
                                           workloads::communication_matrix(job.trace, {}),
                                           {"machine", "trace", "map", "fluid"})
                            .document());
  for (const auto& [name, column] : of_run.head["columns"].items()) {
    CAPTURE(name);
    REQUIRE(of_job.head["columns"].contains(name));
    CHECK(of_job.head["columns"][name]["count"] == column["count"]);
    const auto type = column["type"].get<std::string>();
    if (type == "f8") {
      const auto a = of_run.column<double>(name), b = of_job.column<double>(name);
      for (std::size_t i = 0; i < a.size(); ++i) CHECK(b[i] == Approx(a[i]).epsilon(1e-9).margin(1e-15));
    } else if (type == "u4") {
      CHECK(of_job.column<std::uint32_t>(name) == of_run.column<std::uint32_t>(name));
    } else if (type == "u1") {  // shares of windows, rounded
      const auto a = of_run.column<std::uint8_t>(name), b = of_job.column<std::uint8_t>(name);
      for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) <= 1);
    }
  }
  for (const auto* key : {"runtime_s", "parts_s", "lost_s", "steps", "pairs", "messages", "bytes", "hops_per_byte"})
    CHECK(of_job.head["meta"][key] == of_run.head["meta"][key]);
}

TEST_CASE("Jobs of which nobody knows who loads links, and one that never begins, have columns, too") {
  auto jobs = crossing();
  jobs.placed[2].start = 100;
  jobs.placed[2].rounds = netsim::until_end;
  const auto document = jobs.run("packet");
  CHECK(document.column<std::uint32_t>("rank_node").size() == 20);
  CHECK(document.column<std::uint32_t>("link_job").empty());
  CHECK(document.head["meta"]["jobs"][2]["last_round_s"].is_null());
  CHECK(document.head["meta"]["contention"].is_null());
  CHECK_FALSE(document.head["meta"]["no_contention_because"].is_null());
}

TEST_CASE("Touching jobs have different colours") {
  Jobs jobs("torus:4x6");
  for (int i = 0; i < 6; ++i) jobs.add("job " + std::to_string(i), "stencil:grid=4", 4 * i);
  const auto document = jobs.run();
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(document.head["meta"]["jobs"][i]["colour"] != document.head["meta"]["jobs"][(i + 1) % 6]["colour"]);
}

TEST_CASE("A difference is of runs of one program each") {
  const test::Scratch scratch;
  const auto jobs = scratch.path("jobs.columns");
  REQUIRE(test::run_toroid("simulate mesh:2x4 --job stencil:grid=2x2 --job stencil:grid=2x2 --engine fluid --columns " +
                           jobs)
              .exit_code == 0);
  test::check_fails("diff " + jobs + " " + jobs, 2,
                    jobs + ": found a run of several jobs, expected one of a single program");
}

TEST_CASE("The page of several jobs in a browser: colours of jobs, who loads a link, who slows whom, explanations",
          "[slow]") {
  // Each of the two sends over the link between the nodes 1 and 2; the messages of b are three times as many.
  const test::Scratch scratch;
  const auto a = scratch.write("a.ti", "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
  const auto b = scratch.write("b.ti",
                               "0 send 1 0 1000000 6\n0 send 1 0 2000000 6\n"
                               "1 recv 0 0 1000000 6\n1 recv 0 0 2000000 6\n");
  const auto page = scratch.path("page.html");
  REQUIRE(test::run_toroid("simulate mesh:4 --job '" + a + "@(0,2),name=a' --job '" + b +
                           "@(1,3),name=b' --engine fluid --explain --html " + page)
              .exit_code == 0);
  test::look_at_page("jobs_page.py", page);
}
