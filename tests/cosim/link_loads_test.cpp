// What links carried over time: by hand, and what must add up.

#include "cosim/link_loads.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/cosim/streams.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"

namespace toroid::cosim {
namespace {

using Times = ScheduleRequest::Times;

/// The link loads of a run, and the bytes times hops that its jobs tell of.
struct Loads : Observer {
  void ended(const Record& record) override {
    if (record.work != nullptr) hop_bytes += static_cast<double>(record.work->traffic.hop_bytes);
  }
  core::Json json;
  double hop_bytes = 0;
};

Loads run(Times times, const std::string& platform, const jobs::Jobs& jobs, const std::vector<std::string>& rules,
          std::size_t windows, Options options = {}, const std::string& allocator = "random") {
  const auto machine = platforms::make_machine(platform);
  Loads loads;
  ScheduleRequest request{machine, jobs, "fcfs", allocator};
  request.times = times;
  request.options = options;
  request.programs.rules = rules;
  request.programs.map = "consecutive";
  request.programs.replay.compute_scale = 1;
  request.windows = windows;
  request.observers = {&loads};
  loads.json = link_loads_json(run_schedule(request).link_loads.value());
  return loads;
}

TEST_CASE("Links carry as many bytes in a window as a lone message sends in it") {
  const test::Scratch scratch;
  const auto program =
      scratch.write("far.ti", "0 send 3 0 1000000 6\n1 compute 0\n2 compute 0\n3 recv 0 0 1000000 6\n");
  // 1 MB takes 1 ms, 300 of them 0.3 s; windows double from 1 us on: three of 2^17 us are the first no more than four.
  const ListedJobs jobs({job(1, 0, 4, 0)});
  for (const auto times : {Times::replayed, Times::epochs}) {
    const auto loads = run(times, "mesh:4,bw=1GBps,lat=0s", jobs, {program + " rounds 300"}, 4, {}, "consecutive").json;
    CHECK(loads["window_s"].get<double>() == Approx(0.131072));
    REQUIRE(loads["windows"].size() == 3);
    REQUIRE(loads["links"].size() == 3);
    const std::vector<double> bytes{131.072e6, 131.072e6, 37.856e6};
    for (std::size_t w = 0; w < 3; ++w) {
      const auto& window = loads["windows"][w];
      CHECK(window["bytes"].get<double>() == Approx(3 * bytes[w]));
      CHECK(window["mean_utilization"].get<double>() == Approx(0.5));  // of three links there and three back
      CHECK(window["max_utilization"].get<double>() == Approx(1));
      for (const auto& link : loads["links"]) CHECK(link["bytes_by_window"][w].get<double>() == Approx(bytes[w]));
    }
    CHECK(loads["windows"][2]["seconds"].get<double>() == Approx(0.3 - 2 * 0.131072));
  }
}

TEST_CASE("Windows reach to the end of a run that goes on after its last message") {
  const test::Scratch scratch;
  const auto program = scratch.write("late.ti", "0 send 1 0 1000000 6\n0 sleep 10\n1 recv 0 0 1000000 6\n");
  const auto loads =
      run(Times::replayed, "mesh:4,bw=1GBps,lat=0s", ListedJobs({job(1, 0, 2, 0)}), {program}, 4, {}, "consecutive")
          .json;
  CHECK(loads["window_s"].get<double>() == Approx(4.194304));  // 2^22 us
  REQUIRE(loads["windows"].size() == 3);
  CHECK(loads["windows"][2]["seconds"].get<double>() == Approx(10.001 - 2 * 4.194304).margin(0.002));
  REQUIRE(loads["links"].size() == 1);
  CHECK(loads["links"][0]["bytes_by_window"][0].get<double>() == Approx(1e6));
  CHECK(loads["links"][0]["bytes_by_window"][2] == 0);
}

TEST_CASE("Bytes of links over all windows are those of the jobs times their hops") {
  core::Random random(3, "tests/link_loads");
  std::vector<jobs::Job> made;
  for (int number = 1; number <= test::tenth_if_sanitized(60); ++number)
    made.push_back(job(number, 0.0001 * number, 2 + static_cast<std::int32_t>(random.below(9)), 0));
  const std::vector<std::string> rules{"stencil:grid={size},bytes=64KiB,steps=1 rounds 30"};
  for (const std::string platform : {"mesh:8x4", "torus:4x3x3,injection=1GBps", "ring:9x4"})
    for (const auto times : {Times::replayed, Times::epochs}) {
      const auto loads = run(times, platform, ListedJobs(made), rules, 16);
      CHECK(loads.json["windows"].size() <= 16);
      double by_window = 0, by_link = 0;
      for (const auto& window : loads.json["windows"]) {
        by_window += window["bytes"].get<double>();
        CHECK(window["mean_utilization"].get<double>() <= window["max_utilization"].get<double>());
      }
      for (const auto& link : loads.json["links"]) {
        by_link += link["bytes"].get<double>();
        double of_windows = 0;
        for (const double bytes : link["bytes_by_window"]) of_windows += bytes;
        CHECK(of_windows == Approx(link["bytes"].get<double>()));
      }
      CHECK(by_window == Approx(loads.hop_bytes));
      CHECK(by_link == Approx(loads.hop_bytes));
    }
}

TEST_CASE("Links carry in epochs what they carry in a replay, along the grid of a job's nodes and with headers") {
  const auto carried = [](Times times, const std::string& platform, std::int32_t size, const std::string& rule) {
    const auto loads = run(times, platform, ListedJobs({job(1, 0, size, 0)}), {rule}, 1, {}, "consecutive").json;
    std::map<std::string, double> bytes;
    for (const auto& link : loads["links"]) bytes[link["name"].get<std::string>()] = link["bytes"].get<double>();
    return bytes;
  };
  const test::Scratch scratch;
  const std::string ring = "sharded:mesh=16,all-gather=1MB",
                    pair = scratch.write("pair.ti", "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
  for (const auto& [platform, size, program] :
       {std::tuple("torus:4x4", 16, ring), {"mesh:4,router.header=64", 2, pair}}) {
    CAPTURE(platform);
    const auto rule = fmt::format("{} rounds 100", program);
    const auto replayed = carried(Times::replayed, platform, size, rule);
    const auto epochs = carried(Times::epochs, platform, size, rule);
    REQUIRE(epochs.size() == replayed.size());
    for (const auto& [link, bytes] : replayed) CHECK(epochs.at(link) == Approx(bytes));
  }
}

TEST_CASE("Jobs that are killed leave what they have sent on the links") {
  Options options;
  options.kill = true;
  std::vector<jobs::Job> made;
  for (int number = 1; number <= 20; ++number) made.push_back(job(number, 0, 8, 0, 0.002));
  const auto loads =
      run(Times::epochs, "torus:4x4", ListedJobs(made), {"stencil:grid=8,steps=1 rounds 1000000"}, 64, options);
  double by_link = 0;
  for (const auto& link : loads.json["links"]) by_link += link["bytes"].get<double>();
  CHECK(loads.hop_bytes > 0);
  CHECK(by_link == Approx(loads.hop_bytes).epsilon(1e-4));
}

}  // namespace
}  // namespace toroid::cosim
