#include "toroid/netsim/computation_use.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/amounts.hpp"

using namespace toroid;

namespace {

/// Two ranks that compute 2 and 3 million, of which the first sleeps a millisecond, and then a barrier.
std::unique_ptr<workloads::Trace> two_ranks(const std::string& head) {
  const test::Scratch scratch;
  return workloads::open_trace(scratch.write("t", "toroid trace 4\nranks 2\n" + head +
                                                      "rank 0\nc2000000\n+ sleep amount=0.001\n+ barrier\n"
                                                      "rank 1\nc3000000\n+ barrier\nend\n"));
}

double time_of(const workloads::Trace& trace, const std::string& platform, std::optional<double> scale = {}) {
  const auto machine = platforms::make_machine(platform);
  netsim::Run request{machine, trace, {0, 1}, {}, "fluid"};
  request.job().options.compute_scale = scale;
  return netsim::run(request).runtime;
}

netsim::ComputationUse use_of(const workloads::Trace& trace, const std::string& platform,
                              std::optional<double> scale = {}) {
  netsim::ReplayOptions options;
  options.compute_scale = scale;
  return netsim::computation_use(trace, workloads::computation_by_rank(trace), platforms::make_machine(platform),
                                 options);
}

}  // namespace

TEST_CASE("What was measured counts unless it is left out, and what was modelled the other way round") {
  const std::string machine = "mesh:2,lat=0s,speed=2Gf";
  const auto modelled = two_ranks(""), timed = two_ranks("computation timed\n"),
             counted = two_ranks("computation counted\n");
  CHECK(time_of(*modelled, machine) == 0);
  CHECK(time_of(*modelled, machine, 1) == Approx(2e-3));  // 1 ms of computing and 1 ms of sleep
  CHECK(time_of(*timed, machine) == Approx(3e-3));        // on any core
  CHECK(time_of(*timed, "mesh:2,lat=0s,speed=100Gf") == Approx(3e-3));
  CHECK(time_of(*timed, machine, 0.5) == Approx(1.5e-3));
  CHECK(time_of(*timed, machine, 0) == 0);
  CHECK(time_of(*counted, machine) == Approx(2e-3));  // at the speed of the cores
}

TEST_CASE("The use of computation says who computes how long, and whether that is left out") {
  const auto modelled = use_of(*two_ranks(""), "mesh:2,speed=2Gf");
  CHECK(modelled.busiest_rank_s == Approx(2e-3));
  CHECK(modelled.all_ranks_s == Approx(3.5e-3));
  CHECK(modelled.core_speed == 2e9);
  CHECK(modelled.is_left_out());
  CHECK(modelled.gain_at_most(6e-3) == Approx(0.75));
  const auto timed = use_of(*two_ranks("computation timed\n"), "mesh:2,speed=2Gf");
  CHECK(timed.busiest_rank_s == Approx(3e-3));
  CHECK(timed.all_ranks_s == Approx(6e-3));
  CHECK_FALSE(timed.core_speed);
  CHECK(timed.scale == 1);
  CHECK_FALSE(timed.is_left_out());
  CHECK(use_of(*two_ranks("computation timed\n"), "mesh:2", 0).is_left_out());
  CHECK_FALSE(use_of(*workloads::open_trace("stencil:grid=2,flops=0f"), "mesh:2").is_left_out());  // there is none
}

TEST_CASE("What reductions combine is computation, too") {
  const auto trace =
      test::trace_of("0 compute 1000\n0 allreduce 8 1000000 6\n1 compute 1000\n1 allreduce 8 1000000 6\n");
  const auto use = use_of(*trace, "mesh:2,speed=1Gf");
  CHECK(use.busiest_rank_s == Approx(1.001e-3));
  CHECK(use.all_ranks_s == Approx(2.002e-3));
  const auto machine = platforms::make_machine("mesh:2,speed=1Gf");
  const auto run = netsim::run({machine, *trace, {0, 1}, {.compute_scale = 1}, "fluid"});
  for (const auto& rank : run.ranks) CHECK(rank.compute == Approx(1.001e-3));
  // Where sums take their time by bytes they belong to messages.
  CHECK(use_of(*trace, "mesh:2,speed=1Gf,reduce=1ns").busiest_rank_s == Approx(1e-6));
  CHECK_FALSE(use_of(*test::trace_of("0 allreduce 8 1000000 6\n"), "mesh:2,reduce=1ns").is_left_out());
}

TEST_CASE("A model on one core is trained at the full speed, less what is computed again") {
  const auto check = [](const std::string& trace, double expected, std::optional<double> scale = 1) {
    const auto program = workloads::open_trace("llm:model=gpt-22b,layers=8,tensor=1,data=1,pipeline=1" + trace);
    const auto use = use_of(*program, "mesh:2,speed=100Tf", scale);
    const auto rate = netsim::training_rate(*program->training(), use, 1, use.scale * use.busiest_rank_s);
    REQUIRE(rate);
    CHECK(rate->mfu == Approx(expected));
    CHECK(rate->tokens_per_second == Approx(8 * 2048 / (use.scale * use.busiest_rank_s)));
  };
  const double l = 8, h = 6144, s = 2048, v = 51200;
  check("", 1);
  check("", 0.5, 2);
  // Narayanan et al. 2021: 72 and 96 operations for each weight and token, as in tests/workloads/llm_test.cpp.
  check(",recompute=yes", 72 * (1 + s / (6 * h) + v / (12 * l * h)) / (96 * (1 + s / (6 * h) + v / (16 * l * h))));
  // A lower speed or efficiency makes tokens fewer, and the MFU with them: it is over the published peak.
  const auto slower = [](const std::string& machine) {
    const auto step = workloads::open_trace("llm:model=gpt-22b,layers=8,tensor=1,data=1,pipeline=1");
    const auto use = use_of(*step, machine, 1);
    return netsim::training_rate(*step->training(), use, 1, use.busiest_rank_s)->mfu;
  };
  CHECK(slower("mesh:2,speed=100Tf,efficiency=0.4") == Approx(0.4));
  CHECK(slower("mesh:2,speed=100Tf,efficiency=0.4,peak=200Tf") == Approx(0.2));
  CHECK(slower("tpu-v5p:2x2x1,efficiency=1") == Approx(1));
  CHECK(slower("tpu-v5p:2x2x1,efficiency=1,speed=229.5Tf") == Approx(0.5));
  CHECK(slower("tpu-v7:2x2x1,efficiency=0.5") == Approx(0.5));
  const auto program = workloads::open_trace("llm:tensor=1,data=1,pipeline=1,layers=1");
  CHECK(!netsim::training_rate(*program->training(), use_of(*program, "mesh:2"), 1, 1));  // it is left out
}
