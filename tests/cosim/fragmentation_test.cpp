#include <catch2/catch.hpp>

#include "tests/cosim/streams.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::cosim {
namespace {

/// The mean utilisation of a 16x16 mesh over some streams of jobs that come faster than they are served.
double utilization(const std::string& allocator) {
  const auto machine = platforms::make_machine("mesh:16x16");
  double sum = 0;
  constexpr int seeds = 3;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto jobs = jobs::open_jobs("derose:side=16,load=40,changing=0,jobs=300", jobs::Reading::strict, seed);
    sum += run_schedule({machine, *jobs, "fcfs", allocator}).totals.utilization();
  }
  return sum / seeds;
}

}  // namespace

// De Rose, Heiss, Linnert 2007, Section 3.1, of Zhu and of Lo et al.
TEST_CASE("Frame sliding uses about half of a machine, what need not be contiguous more than three quarters") {
  const double sliding = utilization("frame-sliding"), first_fit = utilization("submesh"), curve = utilization("curve");
  CHECK(sliding == Approx(0.5).margin(0.06));
  CHECK(first_fit > sliding + 0.05);
  CHECK(curve > first_fit + 0.1);
  CHECK(curve > 0.75);
  CHECK(utilization("granular-mbs") == Approx(curve));  // both place whatever there are nodes for
}

}  // namespace toroid::cosim
