// What is drawn of a run, held against its result; and the page in a browser, where there is one.

#include "views/documents/run_document.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "netsim/results/critical_losses.hpp"
#include "tests/support/support.hpp"
#include "tests/views/documents.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::Doing;
using test::Document;

namespace {

struct Run {
  platforms::Machine machine;
  std::unique_ptr<workloads::Trace> trace;
  netsim::Mapping mapping = {};
  netsim::Result result = {};
};

Run run_of(const std::string& platform, const std::string& trace, double compute = 0) {
  Run run{platforms::make_machine(platform), workloads::TraceSource(trace).open()};
  for (const auto rank : core::ids<workloads::Rank>(run.trace->ranks()))
    run.mapping.add(platforms::NodeId(rank.value()));
  netsim::Run request{run.machine, *run.trace, run.mapping, {}, "fluid", 64};
  request.keep_windows = true;
  request.job().options.log_causes = true;
  request.job().options.activity_windows = 64;
  request.job().options.compute_scale = compute;
  run.result = netsim::run(request);
  return run;
}

views::Columns columns_of(const Run& run) {
  return views::run_columns(run.machine, run.mapping, run.result, workloads::communication_matrix(*run.trace, {}),
                            {"machine", "trace", "map", "fluid"});
}

}  // namespace

TEST_CASE("What ranks do window by window adds up to their times") {
  for (const auto* platform : {"mesh:4x4,speed=5Gf", "torus:4x4,bw=100MBps"}) {
    const auto run = run_of(platform, "lulesh:ranks=8,steps=2", 1);
    const auto& activity = run.result.activity;
    REQUIRE(activity.windows > 16);
    CHECK(activity.window * static_cast<double>(activity.windows) >= run.result.runtime);
    CHECK(activity.window * static_cast<double>(activity.windows - 1) < run.result.runtime);
    for (const auto rank : run.result.ranks.ids()) {
      const auto& report = run.result.ranks[rank];
      const auto total = [&](Doing doing) {
        double seconds = 0;
        for (std::size_t w = 0; w < activity.windows; ++w) {
          CHECK(activity.of(rank, w, doing) <= activity.window * (1 + 1e-5));
          seconds += activity.of(rank, w, doing);
        }
        return seconds;
      };
      CHECK(total(Doing::compute) == Approx(report.compute).epsilon(1e-4));
      CHECK(total(Doing::transfer) == Approx(report.transfer).epsilon(1e-4));
      CHECK(total(Doing::wait) == Approx(report.wait).epsilon(1e-4).margin(1e-12));
    }
  }
}

TEST_CASE("Each core of a rank on which several compute has a row") {
  const test::Scratch scratch;
  const auto run = run_of("mesh:2",
                          scratch.write("t.goal",
                                        "num_ranks 2\nrank 0 {\na: calc 5000\nb: calc 6000 cpu 1\n"
                                        "c: calc 3000 cpu 1\n}\nrank 1 {\na: calc 4000\n}\n"),
                          1);
  const Document document(columns_of(run).document());
  CHECK(document.column<std::uint32_t>("core_rank") == std::vector<std::uint32_t>{0, 0});
  CHECK(document.column<std::uint32_t>("core_number") == std::vector<std::uint32_t>{0, 1});
  const auto shares = document.column<std::uint8_t>("core_computing");
  const auto& activity = run.result.activity;
  REQUIRE(shares.size() == 2 * activity.windows);
  const auto seconds = [&](std::size_t row) {
    double sum = 0;
    for (std::size_t w = 0; w < activity.windows; ++w)
      sum += shares[row * activity.windows + w] / 255.0 *
             std::min(activity.window, run.result.runtime - static_cast<double>(w) * activity.window);
    return sum;
  };
  CHECK(seconds(0) == Approx(5e-6).epsilon(0.01));
  CHECK(seconds(1) == Approx(9e-6).epsilon(0.01));
}

TEST_CASE("Bookings of activity survive the doubling of windows") {
  core::Random random(1, "activity");
  netsim::ActivityLog log;
  log.begin(2, 7);
  double at = 0, booked = 0;
  for (int i = 0; i < 500; ++i) {
    const double from = at + random.unit() * 1e-5, to = from + random.unit() * 1e-4;
    log.book(1, Doing::wait, from, to);
    booked += to - from;
    at = to;
  }
  const auto activity = log.finish(at);
  double kept = 0;
  for (std::size_t w = 0; w < activity.windows; ++w) {
    kept += activity.of(1, w, Doing::wait);
    CHECK(activity.of(0, w, Doing::wait) == 0);
  }
  CHECK(kept == Approx(booked).epsilon(1e-4));
}

TEST_CASE("What links carry window by window adds up to their bytes") {
  const auto run = run_of("torus:4x4", "cg:class=S,ranks=16,iterations=1");
  const auto& windows = run.result.link_windows;
  REQUIRE(windows.windows > 16);
  for (std::size_t i = 0; i < run.result.links.size(); ++i) {
    const auto row = windows.bytes.begin() + static_cast<std::ptrdiff_t>(i * windows.windows);
    const double total = std::accumulate(row, row + static_cast<std::ptrdiff_t>(windows.windows), 0.0);
    CHECK(total == Approx(static_cast<double>(run.result.links[i].bytes)).epsilon(1e-4));
  }
}

TEST_CASE("Losses are those of the critical path, whole, and on links of the messages' routes") {
  for (const auto* platform : {"mesh:4x4", "ring:4x4", "torus:4x4,injection=500MBps"}) {
    const auto run = run_of(platform, "stencil:grid=4x4,bytes=64KiB");
    const auto losses = netsim::critical_losses(run.machine, run.mapping, run.result);
    const auto& path = run.result.critical_path;
    CHECK(losses.total == Approx(path.sharing));
    double of_links = 0, of_pairs = 0;
    for (const auto& loss : losses.links) of_links += loss.seconds;
    for (const auto& loss : losses.pairs) of_pairs += loss.seconds;
    CHECK(of_links == Approx(losses.total));
    CHECK(of_pairs == Approx(losses.total));
  }
}

TEST_CASE("Two messages over one link lose their time there") {
  // Nodes 0 and 1 send to 3 along a row: they share 1 -> 2 and 2 -> 3, and the second half of the longer one is alone.
  const auto trace = test::trace_of(
      "0 send 3 0 60000 6\n1 send 3 1 20000 6\n2 compute 1\n"
      "3 recv 0 0 60000 6\n3 recv 1 1 20000 6\n");
  const auto machine = platforms::make_machine("mesh:4");
  netsim::Run request{machine, *trace, {0, 1, 2, 3}, {}, "fluid", 64};
  request.keep_windows = true;
  request.job().options.log_causes = true;
  const auto result = netsim::run(request);
  const auto losses = netsim::critical_losses(machine, request.job().mapping, result);
  CHECK(losses.total == Approx(20e-6).epsilon(0.01));
  REQUIRE(losses.links.size() == 1);
  CHECK(machine.link_name(losses.links[0].link) == "n1 -> n2 (+x)");
  REQUIRE(losses.pairs.size() == 1);
  CHECK(losses.pairs[0].from == 0);
}

TEST_CASE("The columns of a run say what its result says") {
  const auto run = run_of("torus:4x4,injection=2GBps,nodes-per-router=1", "cg:class=S,ranks=16,iterations=1");
  const auto text = columns_of(run).document();
  CHECK(text == columns_of(run).document());  // the same bytes
  const Document document(text);
  CHECK(document.head["meta"]["runtime_s"] == run.result.runtime);
  std::map<std::string, double> bytes;
  double total = 0;
  for (const auto& link : run.result.links) total += static_cast<double>(link.bytes);
  CHECK(test::sum(document.column<double>("link_bytes")) == total);
  const auto kinds = document.column<std::uint8_t>("link_kind");
  CHECK(std::count_if(kinds.begin(), kinds.end(), [](auto kind) { return kind < 254; }) == 64);  // 16 routers with four
  const auto links = document.column<std::uint32_t>("link_from").size();
  CHECK(document.column<std::uint8_t>("link_use").size() ==
        links * document.head["meta"]["windows"].get<std::size_t>());
  const auto matrix = workloads::communication_matrix(*run.trace, {});
  CHECK(test::sum(document.column<double>("pair_bytes")) == static_cast<double>(matrix.total_bytes()));
  CHECK(test::sum(document.column<double>("loss_link_s")) == Approx(document.head["meta"]["lost_s"].get<double>()));
  const auto begin = document.column<double>("step_begin"), end = document.column<double>("step_end");
  CHECK(begin.front() == 0);
  CHECK(end.back() == Approx(run.result.runtime));
  for (std::size_t i = 1; i < begin.size(); ++i) CHECK(begin[i] == Approx(end[i - 1]).margin(1e-12));
}

TEST_CASE("The columns of a run name the collectives that its ranks wait in, and say when") {
  // Rank 0 comes to the barrier 9 ms after rank 1, which then waits for the next message.
  const test::Scratch scratch;
  const auto trace = scratch.write("late.ti",
                                   "0 sleep 0.009\n0 barrier\n0 send 1 0 3000000 6\n"
                                   "1 barrier\n1 recv 0 0 3000000 6\n");
  const auto run = run_of("mesh:2,bw=1GBps", trace, 1);
  const Document document(columns_of(run).document());
  const auto& meta = document.head["meta"];
  REQUIRE(meta["collectives"].size() == 1);
  CHECK(meta["collectives"][0]["collective"] == "barrier");
  CHECK(meta["collectives"][0]["algorithm"] == "dissemination");
  const auto waits = document.column<float>("rank_collective_wait");
  REQUIRE(waits.size() == 2);
  CHECK(waits[1] == Approx(0.009).epsilon(0.01));
  const auto shares = document.column<std::uint8_t>("rank_in_collective");
  const auto windows = meta["activity_windows"].get<std::size_t>();
  REQUIRE(shares.size() == 2 * windows);
  const double window = meta["activity_window_s"];
  for (std::size_t w = 0; w < windows; ++w) {
    const double from = static_cast<double>(w) * window;
    if (from + window < 0.009) CHECK(shares[windows + w] == 255);
    if (from > 0.0091) CHECK(shares[windows + w] == 0);
  }
  // Without collectives there is nothing to name.
  const auto one_message = scratch.write("one.ti", "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
  const Document without(columns_of(run_of("mesh:2", one_message)).document());
  CHECK(without.head["meta"]["collectives"].empty());
  CHECK(without.column<std::uint8_t>("rank_in_collective").empty());
  CHECK(without.head["meta"]["step_collectives"].empty());
  // The critical path is a message of a broadcast, and then one between two ranks.
  const auto both = scratch.write("both.ti",
                                  "0 bcast 1000000 0 6\n0 send 1 0 1000000 6\n"
                                  "1 bcast 1000000 0 6\n1 recv 0 0 1000000 6\n");
  const Document path(columns_of(run_of("mesh:2,bw=1GBps", both)).document());
  CHECK(path.head["meta"]["step_collectives"] == core::Json::array({"bcast"}));
  CHECK(path.column<std::uint8_t>("step_collective") == std::vector<std::uint8_t>{1, 0});
}

TEST_CASE("Columns tell where their pairs are not those that collectives along a grid send between") {
  const auto tells = [](const std::string& trace) {
    return Document(columns_of(run_of("torus:4x4", trace)).document()).head["meta"]["pairs_as_rings"].get<bool>();
  };
  CHECK_FALSE(tells("cg:class=S,ranks=16,iterations=1"));
  CHECK(tells("sharded:mesh=4x4,all-gather=1MiB/1MiB"));
}

TEST_CASE("A shared line is drawn as one link between all neighbours on it") {
  const auto run = run_of("ring:4x3,x.shared=yes", "stencil:grid=4x3");
  const Document document(columns_of(run).document());
  const auto kinds = document.column<std::uint8_t>("link_kind");
  CHECK(std::count(kinds.begin(), kinds.end(), 0) == 3);   // the lines along x
  CHECK(std::count(kinds.begin(), kinds.end(), 2) == 12);  // the one-way links along y
  CHECK(document.column<std::uint32_t>("segment_link").size() == 3 * 4);
}

TEST_CASE("Of many pairs and steps the largest are kept, and how many there were is told") {
  const auto run = run_of("mesh:4x4", "cg:class=S,ranks=16,iterations=1");
  const auto columns = views::run_columns(run.machine, run.mapping, run.result,
                                          workloads::communication_matrix(*run.trace, {}), {}, 5, 7);
  const Document few(columns.document()), all(columns_of(run).document());
  CHECK(few.column<double>("pair_bytes").size() == 5);
  CHECK(few.column<double>("step_begin").size() == 7);
  CHECK(few.head["meta"]["steps"] == all.head["meta"]["steps"]);
  CHECK(few.column<double>("pair_bytes")[0] == all.column<double>("pair_bytes")[0]);
}

TEST_CASE("The page fetches nothing, and whatever a name holds stays text") {
  const test::Scratch scratch;
  const auto file = scratch.write("<b>&\"<script>.ti", "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
  const auto page = scratch.path("page.html");
  CHECK(test::run_toroid("simulate mesh:2x2 '" + file + "' --engine fluid --html " + page).exit_code == 0);
  const auto text = test::content(page);
  CHECK_THAT(text, Catch::Contains("default-src 'none'"));
  CHECK(text.find("http") == text.find("http-equiv"));
  CHECK(text.find("<b>") == std::string::npos);
  test::check_fails("simulate mesh:2x2 stencil:grid=2x2 --windows 0 --html " + page, 2,
                    "expected --windows of 1 or more");
}

TEST_CASE("The page in a browser: colours, picking, keys, widths, both schemes", "[slow]") {
  const test::Scratch scratch;
  const auto trace = scratch.write("one.ti", "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
  const auto page = scratch.path("page.html");
  REQUIRE(test::run_toroid("simulate mesh:8x8 " + trace + " --nodes 27,28 --engine fluid --explain --html " + page)
              .exit_code == 0);
  test::look_at_page("run_page.py", page, "'n27 -> n28 (+x)'");
}

TEST_CASE("A reader of the page sees in which collective a rank waits", "[slow]") {
  // A broadcast of 1 MB, and then a message of 1 MB: rank 1 waits for either, half of the time each.
  const test::Scratch scratch;
  const auto trace = scratch.write("two.ti",
                                   "0 bcast 1000000 0 6\n0 send 1 0 1000000 6\n"
                                   "1 bcast 1000000 0 6\n1 recv 0 0 1000000 6\n");
  const auto page = scratch.path("page.html");
  REQUIRE(
      test::run_toroid("simulate mesh:2 " + trace + " --engine fluid --collectives default:bcast=linear --html " + page)
          .exit_code == 0);
  test::look_at_page("collective_page.py", page, "'bcast (linear)'");
}

TEST_CASE("The page of a training tells its speed, its MFU and what ranks wait for", "[slow]") {
  const test::Scratch scratch;
  const std::string run =
      "simulate tpu-v5p:2x2x2 llm:model=llama2-7b,layers=2,tensor=2,data=4,fsdp=4,pipeline=1,"
      "micro-batches=1 --compute trace --engine fluid ";
  const auto page = scratch.path("page.html"), json = scratch.path("run.json"), columns = scratch.path("run.columns");
  REQUIRE(test::run_toroid(run + "--html " + page + " --json " + json + " --columns " + columns).exit_code == 0);
  const auto result = core::parse_json(test::content(json));
  const Document document(test::content(columns));
  for (const auto* key : {"training", "exposed"}) CHECK(document.head["meta"][key] == result[key]);
  test::look_at_page("training_page.py", page, json);
}

TEST_CASE("A reader of the page sees where a link leads, and which way a ring goes", "[slow]") {
  const test::Scratch scratch;
  const auto trace = scratch.write("one.ti", "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
  for (const auto& [machine, kind] : {std::pair("mesh:8x8", "thick"), {"ring:8x8", "arrow"}}) {
    const auto page = scratch.path("page.html");
    REQUIRE(test::run_toroid("simulate " + std::string(machine) + " " + trace +
                             " --nodes 27,28 --engine fluid --html " + page)
                .exit_code == 0);
    test::look_at_page("direction_page.py", page, kind);
  }
}

TEST_CASE("What was in the way of a critical message shared a link with it while it travelled") {
  for (const auto* platform : {"mesh:4x4", "torus:4x4,injection=500MBps", "ring:4x4"}) {
    CAPTURE(platform);
    const auto run = run_of(platform, "cg:class=S,ranks=16,iterations=2");
    const auto& steps = run.result.critical_steps;
    REQUIRE(run.result.obstacles.size() > 10);
    std::map<std::size_t, int> of_step;
    std::size_t last = 0;
    for (const auto& obstacle : run.result.obstacles) {
      const auto& step = steps.at(obstacle.step);
      CHECK(obstacle.step >= last);
      last = obstacle.step;
      CHECK(++of_step[obstacle.step] <= 4);
      CHECK(step.is_message);
      CHECK(step.sharing > 0);
      CHECK(obstacle.begin < step.end);
      CHECK(obstacle.end > step.begin);
      CHECK(obstacle.bytes_meanwhile > 0);
      CHECK(obstacle.bytes_meanwhile <= static_cast<double>(obstacle.bytes) * (1 + 1e-9));
      int on_both = 0;
      for (const auto& [from, to] : {std::pair(step.rank, step.receiver), std::pair(obstacle.from, obstacle.to)})
        run.machine.for_each_link(run.mapping[from], run.mapping[to],
                                  [&](platforms::LinkId link) { on_both += link == obstacle.link ? 1 : 0; });
      CHECK(on_both == 2);
    }
    // A message that lost time lost it to something: a neighbour is found for nearly all of it.
    double lost = 0, explained = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      lost += steps[i].sharing;
      if (of_step.contains(i)) explained += steps[i].sharing;
    }
    CHECK(explained > 0.9 * lost);
  }
}

TEST_CASE("Two messages over one link are in each other's way, and nobody else is") {
  // Nodes 0 and 1 send to 3 along a row. The critical message is that of 0, of 60,000 bytes at 1 GB/s; the other has
  // all of its 20,000 bytes on the way meanwhile. 2 sends to 6 over no link of these two.
  const auto trace = test::trace_of(
      "0 send 3 0 60000 6\n1 send 3 1 20000 6\n2 send 6 0 50000 6\n"
      "3 recv 0 0 60000 6\n3 recv 1 1 20000 6\n4 compute 1\n5 compute 1\n6 recv 2 0 50000 6\n");
  const auto machine = platforms::make_machine("mesh:4x2");
  netsim::Run request{machine, *trace, {0, 1, 2, 3, 4, 5, 6}, {}, "fluid", 64};
  request.job().options.log_causes = true;
  const auto result = netsim::run(request);
  REQUIRE(result.obstacles.size() == 1);
  const auto& obstacle = result.obstacles[0];
  CHECK(obstacle.from == 1);
  CHECK(obstacle.to == 3);
  CHECK(obstacle.bytes_meanwhile == Approx(20000));
  CHECK(machine.link_name(obstacle.link) == "n1 -> n2 (+x)");
  // Sizes: 20,000 lies between 2^14 and 2^15, the two others between 2^15 and 2^16.
  REQUIRE(result.message_classes.size() == 3);
  const auto is = [&](std::size_t i, std::uint32_t size, std::int32_t hops, std::uint64_t bytes) {
    const auto& alike = result.message_classes[i];
    return alike.size == size && alike.hops == hops && alike.messages == 1 && alike.bytes == bytes;
  };
  CHECK(is(0, 15, 2, 20000));
  CHECK(is(1, 16, 1, 50000));
  CHECK(is(2, 16, 3, 60000));
}

TEST_CASE("Classes of messages are all messages between nodes") {
  const auto run = run_of("torus:4x4", "lulesh:ranks=8,steps=2");
  std::uint64_t messages = 0, bytes = 0, hop_bytes = 0;
  for (const auto& alike : run.result.message_classes) {
    messages += alike.messages;
    bytes += alike.bytes;
    hop_bytes += alike.bytes * static_cast<std::uint64_t>(alike.hops);
    if (alike.size > 0) {
      CHECK(alike.bytes >= alike.messages << (alike.size - 1));
      CHECK(alike.bytes < alike.messages << alike.size);
    }
  }
  CHECK(messages == run.result.network_messages);
  CHECK(bytes == run.result.network_bytes);
  CHECK(hop_bytes == run.result.hop_bytes);
}
