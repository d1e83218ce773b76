// The distances within the jobs of the archive's logs, against what is published and what an independent
// implementation reaches on the same versions of the logs.

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::cosim {
namespace {

struct Reached {
  const char* allocator;
  double sum_pairwise_hops;  ///< on average over all jobs
};

/// To the last digit that is given.
void check(const std::string& log, const std::string& platform, const std::vector<Reached>& all, double digit) {
  const auto path = test::shared_data("swf/" + log + ".swf.zst");
  if (path.empty()) return;
  const auto jobs = jobs::open_jobs(path);
  const auto machine = platforms::make_machine(platform);
  for (const auto& reached : all) {
    INFO(log << " on " << platform << ", " << reached.allocator);
    const auto totals = totals_json(run_schedule({machine, *jobs, "easy", reached.allocator}).totals);
    CHECK(totals["avg_sum_pairwise_hops"].get<double>() == Approx(reached.sum_pairwise_hops).margin(0.51 * digit));
  }
}

}  // namespace

TEST_CASE("NASA-iPSC's log: Figure 9 of Walker, Bunde and Leung 2010") {
  check("NASA-iPSC-1993-3.1-cln", "mesh:16x8",
        {{"curve", 2687},
         {"curve:fit=first", 2701},
         {"curve:fit=freelist", 2733},
         {"curve:order=hilbert", 2696},
         {"curve:order=hilbert,fit=first", 2714},
         {"curve:order=hilbert,fit=freelist", 2742},
         {"curve:run=long", 3072},
         {"curve:run=long,fit=first", 3081},
         {"curve:run=long,fit=freelist", 3096}},
        1);
}

TEST_CASE("KTH-SP2's log: allocators against an independent implementation", "[slow]") {
  if (test::is_sanitized) return;  // figures of long runs; storms of random jobs go through the same allocators
  check("KTH-SP2-1996-2.1-cln", "mesh:10x10",
        {{"mc1x1", 567.6},
         {"mc1x1:last=first", 572.9},
         {"gen-alg", 570.1},
         {"mm", 570.7},
         {"granular-mbs", 598.9},
         {"layered-mbs", 602.4},
         {"octet-mbs", 611.6},
         {"curve:run=long", 595.7},
         {"curve:order=hilbert", 585.5}},
        0.1);
  check("KTH-SP2-1996-2.1-cln", "mesh:5x5x4",
        {{"mc1x1", 407.5}, {"granular-mbs", 422.0}, {"layered-mbs", 430.3}, {"octet-mbs", 426.6}}, 0.1);
}

// Granular MBS over MC1x1, of the jobs whose sizes are powers of two: 1.024 in the paper.
TEST_CASE("KTH-SP2's log: Granular MBS and MC1x1 where sizes are powers of two") {
  const auto path = test::shared_data("swf/KTH-SP2-1996-2.1-cln.swf.zst");
  if (path.empty()) return;
  const auto jobs = jobs::open_jobs(path + ":powers=yes");
  const auto machine = platforms::make_machine("mesh:10x10");
  const auto sum = [&](const std::string& allocator) {
    return totals_json(run_schedule({machine, *jobs, "easy", allocator}).totals)["avg_sum_pairwise_hops"].get<double>();
  };
  CHECK(sum("granular-mbs") / sum("mc1x1") == Approx(1.024).margin(0.0006));
}

}  // namespace toroid::cosim
