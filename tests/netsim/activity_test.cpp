// In which collectives ranks wait, window by window, held against the timeline of the same run and against hand
// computations.

#include "toroid/netsim/results/replay_report.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/collectives/collectives.hpp"

using namespace toroid;
using netsim::Activity;
using netsim::Doing;
using workloads::OpKind;
using workloads::Rank;

namespace {

netsim::Result run(const std::string& platform, const workloads::Trace& trace, const std::string& engine = "fluid") {
  const auto machine = platforms::make_machine(platform);
  netsim::ReplayOptions options;
  options.keep_timeline = true;
  options.activity_windows = 24;
  options.compute_scale = 1;
  return netsim::run({machine, trace, test::in_order(machine, trace.ranks()), options, engine});
}

using ByKind = std::map<OpKind, double>;

/// Seconds that a rank waits in a window, by the kinds of collectives.
ByKind waits_of(const Activity& activity, Rank rank, std::size_t window) {
  ByKind seconds;
  for (const auto& waits : activity.collectives)
    if (const double s = activity.of(rank, window, waits); s > 0)
      seconds[workloads::collective_algorithms()[waits.algorithm].kind] += s;
  return seconds;
}

/// The same of the timeline: what the rank waits within calls that are collectives and block. The algorithm of a fence
/// is one of barriers.
ByKind waits_of(const netsim::Timeline& timeline, Rank rank, double from, double to) {
  ByKind seconds;
  for (const auto& call : timeline.calls[rank]) {
    if (!workloads::is_collective(call.kind) || call.has_request) continue;
    const auto kind = call.kind == OpKind::fence ? OpKind::barrier : call.kind;
    for (const auto& phase : timeline.phases[rank]) {
      const double begin = std::max({phase.begin, call.begin, from}), end = std::min({phase.end, call.end, to});
      if (phase.doing != Doing::compute && end > begin) seconds[kind] += end - begin;
    }
  }
  return seconds;
}

double of(const ByKind& seconds, OpKind kind) {
  const auto found = seconds.find(kind);
  return found == seconds.end() ? 0 : found->second;
}

double sum_of(const Activity& activity, const netsim::CollectiveWaits& waits, Rank rank) {
  double sum = 0;
  for (std::size_t w = 0; w < activity.windows; ++w) sum += activity.of(rank, w, waits);
  return sum;
}

}  // namespace

TEST_CASE("What ranks wait in collectives is what the timeline has in calls of them, window by window") {
  for (const auto* program : {"lulesh:ranks=8,steps=2", "ft:class=S,ranks=8,iterations=1", "is:class=S,ranks=8",
                              "minighost:grid=2x2x2,steps=2"}) {
    CAPTURE(program);
    const auto trace = workloads::open_trace(program);
    const auto result = run("torus:4x2,bw=100MBps,speed=5Gf", *trace);
    const auto& activity = result.activity;
    REQUIRE_FALSE(activity.collectives.empty());
    for (const auto rank : result.ranks.ids())
      for (std::size_t w = 0; w < activity.windows; ++w) {
        const double from = static_cast<double>(w) * activity.window;
        const auto told = waits_of(activity, rank, w),
                   happened = waits_of(result.timeline, rank, from, from + activity.window);
        for (std::size_t k = 0; k < workloads::op_kind_count; ++k) {
          const auto kind = static_cast<OpKind>(k);
          CHECK(of(told, kind) == Approx(of(happened, kind)).epsilon(1e-4).margin(1e-5 * activity.window));
        }
      }
  }
}

TEST_CASE("Waits of any program in collectives are a part of its waits, and have those of calls that block") {
  for (std::uint64_t number = 1; number <= 12; ++number) {
    CAPTURE(number);
    core::Random random(number, "activity");
    const auto trace = workloads::random_program(random, {.ranks = 6, .events = 80, .all_kinds = true, .puts = true});
    const auto result = run("torus:3x2,speed=1Gf", *trace);
    const auto& activity = result.activity;
    for (const auto rank : result.ranks.ids()) {
      double in_collectives = 0;
      ByKind told;
      for (const auto& waits : activity.collectives) {
        const double sum = sum_of(activity, waits, rank);
        told[workloads::collective_algorithms()[waits.algorithm].kind] += sum;
        in_collectives += sum;
      }
      const auto& report = result.ranks[rank];
      CHECK(in_collectives <= (report.transfer + report.wait) * (1 + 1e-4));
      for (const auto& [kind, seconds] : waits_of(result.timeline, rank, 0, result.runtime))
        CHECK(of(told, kind) >= seconds * (1 - 1e-4));
    }
  }
}

TEST_CASE("A rank that waits for another one waits in the collective, not in the message before it") {
  // Rank 1 receives 1 MB at 1 GB/s, 1 ms, and then waits 9 ms more for rank 0, which sleeps until 10 ms, in the
  // barrier.
  workloads::CompactTrace trace(2);
  trace.add(0, {.kind = OpKind::send, .to = 1, .bytes = 1'000'000});
  trace.add(0, {.kind = OpKind::sleep, .amount = 9e-3});
  trace.add(1, {.kind = OpKind::recv, .from = 0, .bytes = 1'000'000});
  for (const auto rank : core::ids<Rank>(2)) trace.add(rank, {.kind = OpKind::barrier});
  trace.finish();
  const auto result = run("mesh:2,bw=1GBps,lat=1us", trace);
  const auto& activity = result.activity;
  REQUIRE(activity.collectives.size() == 1);
  const auto& waits = activity.collectives[0];
  REQUIRE(result.collectives.size() == 1);
  CHECK(waits.algorithm == result.collectives[0].algorithm);
  CHECK(sum_of(activity, waits, 1) == Approx(9e-3).epsilon(0.01));
  CHECK(sum_of(activity, waits, 0) < 50e-6);  // the messages of the barrier
  const auto window_at = [&](double seconds) { return static_cast<std::size_t>(seconds / activity.window); };
  CHECK(activity.of(1, window_at(0.2e-3), waits) == 0);
  CHECK(activity.of(1, window_at(5e-3), waits) == Approx(activity.window).epsilon(1e-4));
}

TEST_CASE("A wait for a collective that does not block is one in this collective") {
  // Rank 0 comes to the barrier at 5 ms; rank 1 begins it at once, and waits for it from 2 ms on.
  workloads::CompactTrace trace(2);
  const workloads::RequestHandle handle = 0;
  trace.add(0, {.kind = OpKind::sleep, .amount = 5e-3});
  trace.add(1, {.kind = OpKind::barrier, .request = handle});
  trace.add(1, {.kind = OpKind::sleep, .amount = 2e-3});
  trace.add(1, {.kind = OpKind::wait, .request = handle});
  trace.add(0, {.kind = OpKind::barrier});
  trace.finish();
  const auto result = run("mesh:2,bw=1GBps,lat=1us", trace);
  REQUIRE(result.activity.collectives.size() == 1);
  CHECK(sum_of(result.activity, result.activity.collectives[0], 1) == Approx(3e-3).epsilon(0.01));
}

TEST_CASE("Waits in collectives come back from an engine that has a process of its own") {
  const auto trace = workloads::open_trace("is:class=S,ranks=8");
  const auto here = run("mesh:4x2,bw=100MBps", *trace), there = run("mesh:4x2,bw=100MBps", *trace, "simgrid");
  REQUIRE_FALSE(here.activity.collectives.empty());
  REQUIRE(there.activity.collectives.size() == here.activity.collectives.size());
  for (std::size_t i = 0; i < here.activity.collectives.size(); ++i) {
    CHECK(there.activity.collectives[i].algorithm == here.activity.collectives[i].algorithm);
    CHECK(there.activity.collectives[i].seconds.size() == 8 * there.activity.windows);
  }
}
