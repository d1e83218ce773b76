// What speaks for which contender: the relation of two of them, by hand and by how often it is wrong by chance.

#include "study/trade_offs.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"

namespace toroid::study {
namespace {

using Relation = Contrast::Relation;

/// What a run of a contender gives.
struct Values {
  double wait = 10, run_time = 100, slowdown = 2, utilization = 0.8, hops = 500, makespan = 1000;
};

SweepRow row(std::size_t allocator, std::size_t repetition, const Values& v) {
  return {{.alloc = allocator, .repetition = repetition},
          {{"mean_wait_s", v.wait},
           {"mean_run_time_s", v.run_time},
           {"mean_response_s", v.wait + v.run_time},
           {"mean_bounded_slowdown", v.slowdown},
           {"utilization", v.utilization},
           {"avg_sum_pairwise_hops", v.hops},
           {"makespan_s", v.makespan}},
          {}};
}

/// Of one log, or of streams of jobs by the seed.
Sweep one_machine(bool streams, std::vector<alloc::AllocatorChoice> allocators, std::size_t repeats,
                  std::vector<cosim::SchedulerChoice> schedulers = {"easy"}) {
  SweepSpec spec;
  spec.platforms = {"mesh:8x8"};
  spec.jobs = {streams ? "derose:side=8,jobs=50" : "derose:side=8,jobs=50,seed=1"};
  spec.schedulers = std::move(schedulers);
  spec.allocators = std::move(allocators);
  spec.repeats = repeats;
  return Sweep(spec);
}

/// The runs of the contenders, whose values follow from the repetition.
template <class Make>
std::vector<SweepRow> rows_of(std::size_t contenders, std::size_t repeats, Make make) {
  std::vector<SweepRow> rows;
  for (std::size_t c = 0; c < contenders; ++c)
    for (std::size_t r = 0; r < repeats; ++r) rows.push_back(row(c, r, make(c, r)));
  return rows;
}

/// The relation of two allocators over eight streams, which make far more of a difference than the allocators.
Relation relation(const Values& one, const Values& other, double noise = 0.001) {
  const auto sweep = one_machine(true, {"curve", "mc1x1"}, 8);
  const auto rows = rows_of(2, 8, [&](std::size_t c, std::size_t r) {
    auto v = c == 0 ? one : other;
    const double stream = 1 + 0.3 * static_cast<double>((5 * r) % 8);
    const double own = 1 + noise * std::sin(static_cast<double>(7 * r + c));
    for (auto* value : {&v.wait, &v.run_time, &v.slowdown, &v.utilization, &v.hops, &v.makespan})
      *value *= stream * own;
    return v;
  });
  return trade_offs(sweep, sweep_groups(sweep, rows))[0].contrasts[0].relation;
}

TEST_CASE("One dominates another if it is better in something and worse in nothing by more than a hundredth") {
  const Values usual;
  CHECK(relation({.slowdown = 1.6}, usual) == Relation::one_dominates);
  CHECK(relation(usual, {.slowdown = 1.6}) == Relation::other_dominates);
  CHECK(relation({.utilization = 0.9}, usual) == Relation::one_dominates);             // more is better
  CHECK(relation({.wait = 10.3, .slowdown = 1.6}, usual) == Relation::one_dominates);  // 0.3 % of the response
  CHECK(relation({.wait = 15, .slowdown = 1.6}, usual) == Relation::trade);
  CHECK(relation({.slowdown = 2.1, .utilization = 0.9}, usual) == Relation::trade);
  CHECK(relation(usual, usual) == Relation::alike);
  CHECK(relation({.slowdown = 2.004}, usual) == Relation::alike);
  CHECK(relation(usual, usual, 0.5) == Relation::undecided);
  CHECK(relation({.slowdown = 1.8}, usual, 0.5) == Relation::undecided);
  // Hops are no run times, and count nowhere.
  CHECK(relation({.hops = 400}, usual) == Relation::alike);
  // The makespan counts only where the network decides about run times.
  CHECK(relation({.makespan = 500}, usual) == Relation::alike);
}

TEST_CASE("What is noise is not taken for domination, and what is better not for dominated") {
  // The first has a slowdown of 5 % less and the second waits less: nothing dominates. All else is noise of 5 %.
  core::Random random(1, "trade-offs");
  const auto sweep = one_machine(true, {"curve", "mc1x1", "random:seed=1"}, 6);
  const auto noisy = [&](double value, double spread) {
    const double normal = std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(6.283185307179586 * random.unit());
    return value * (1 + spread * normal);
  };
  const int studies = 400;
  int wrong = 0, any = 0;
  for (int study = 0; study < studies; ++study) {
    const auto rows = rows_of(3, 6, [&](std::size_t c, std::size_t) {
      Values v;
      v.wait = noisy(c == 1 ? 8 : 10, 0.05);
      v.slowdown = noisy(c == 0 ? 1.9 : c == 1 ? 2 : 2.2, 0.03);
      v.utilization = noisy(0.8, 0.002);
      v.run_time = noisy(100, 0.002);
      return v;
    });
    const auto found = trade_offs(sweep, sweep_groups(sweep, rows))[0];
    wrong += found.dominators(0).empty() && found.dominators(1).empty() ? 0 : 1;
    any += found.dominators(2).empty() ? 0 : 1;
  }
  CHECK(wrong <= 20);        // 5 % of the studies
  CHECK(any > studies / 4);  // the third is worse than both
}

TEST_CASE("Allocators that draw lots of their own are not compared in pairs, constants by the sign test") {
  const double firsts[] = {100, 50, 50.5};
  auto rows = rows_of(
      3, 5, [&](std::size_t c, std::size_t r) { return Values{.slowdown = firsts[c] + static_cast<double>(r)}; });
  rows.push_back(row(3, 0, {.slowdown = 200}));
  const auto sweep =
      one_machine(false, {"random", "blocks:box=2x2,base=random", "scatter:base=random", "consecutive"}, 5);
  const auto found = trade_offs(sweep, sweep_groups(sweep, rows))[0];
  REQUIRE(found.contrasts.size() == 6);
  CHECK(found.confidence == Approx(1 - 0.05 / 6));
  const auto slowdown = [&](std::size_t one, std::size_t other) {
    return found.between(one, other).differences.at("mean_bounded_slowdown");
  };
  CHECK(slowdown(0, 1).test == "mann_whitney");
  CHECK(slowdown(0, 1).p == Approx(2.0 / 252));  // 2 / C(10, 5): they do not overlap
  CHECK(slowdown(0, 1).mean == Approx(50));
  CHECK(slowdown(1, 0).mean == Approx(-50));
  CHECK(slowdown(1, 3).test == "sign");
  CHECK(slowdown(1, 3).p == Approx(2.0 / 32));
  CHECK(found.dominators(0) == std::vector<std::size_t>{1, 2});
  CHECK(found.is_undecided(1));  // beside 2
  CHECK(sweep.paired_by(rows[0].run).empty());
  CHECK(sweep.paired_by(rows.back().run) == "job");
}

TEST_CASE("Streams of jobs by the same seed are pairs") {
  auto rows = rows_of(2, 8, [&](std::size_t c, std::size_t r) {
    return Values{.hops =
                      1000 + 100 * static_cast<double>((5 * r) % 8) + (c == 0 ? 41 + 5 * static_cast<double>(r) : 0)};
  });
  const auto sweep = one_machine(true, {"curve", "mc1x1"}, 8);
  const auto hops = [&] {
    return trade_offs(sweep, sweep_groups(sweep, rows))[0].between(0, 1).differences.at("avg_sum_pairwise_hops");
  };
  CHECK(hops().test == "signed_rank");
  CHECK(hops().paired_by == "seed");
  CHECK(hops().pairs == 8);
  CHECK(hops().p == Approx(2.0 / 256));
  CHECK(hops().mean == Approx(58.5));
  CHECK(hops().interval->low > 41);
  CHECK(sweep.paired_by(rows[0].run) == "seed");
  rows[2].result = core::Json();  // a run that failed: its seed is no pair
  CHECK(hops().pairs == 7);
}

TEST_CASE("The verdict says who is not dominated, and what is paid for what") {
  const auto sweep = one_machine(true, {"consecutive", "mc1x1", "submesh"}, 5);
  const auto rows = rows_of(3, 5, [](std::size_t c, std::size_t r) {
    const double own = 1 + 0.001 * std::sin(static_cast<double>(3 * r + c));
    return c == 0   ? Values{.wait = 10 * own, .slowdown = 6 * own}
           : c == 1 ? Values{.wait = 10 * own, .slowdown = 5 * own}
                    : Values{.wait = 30 * own, .slowdown = 3 * own};
  });
  const auto groups = sweep_groups(sweep, rows);
  const auto text = verdict_text(sweep, groups, trade_offs(sweep, groups)[0]);
  CHECK_THAT(text, Catch::Contains("not dominated  mc1x1, submesh\n"));
  CHECK_THAT(text, Catch::Contains("dominated      consecutive by mc1x1: slowdown +20.0 % (") &&
                       Catch::Contains("over 5 seeds, which hold together for all 3 pairs in each criterion"));
  CHECK_THAT(text, Catch::Contains("hops           are no run times"));
  CHECK_THAT(text, Catch::Contains("trade          submesh instead of mc1x1: slowdown -40.0 % (") &&
                       Catch::Contains("; at the price of wait +200.0 % ("));
}

TEST_CASE("One run of each makes no statement; one contender has nothing to be compared with") {
  const auto sweep = one_machine(false, {"consecutive", "mc1x1"}, 5);
  const auto rows = rows_of(2, 1, [](std::size_t c, std::size_t) { return Values{.slowdown = c == 0 ? 6.0 : 3.0}; });
  const auto groups = sweep_groups(sweep, rows);
  const auto found = trade_offs(sweep, groups)[0];
  CHECK(found.are_single_runs());
  CHECK(found.dominators(0).empty());
  const auto text = verdict_text(sweep, groups, found);
  CHECK_THAT(text, Catch::StartsWith("verdict        one run of each: no statement on which is better"));
  CHECK_THAT(text, Catch::Contains("mc1x1 instead of consecutive: slowdown -50.0 %, of which one run gives no"));
  const auto alone = one_machine(false, {"consecutive"}, 1);
  const auto one = sweep_groups(alone, {row(0, 0, {})});
  CHECK(verdict_text(alone, one, trade_offs(alone, one)[0]).empty());
}

TEST_CASE("Schedulers are contenders, too") {
  const auto sweep = one_machine(true, {"curve"}, 4, {"fcfs", "easy"});
  std::vector<SweepRow> rows;
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t r = 0; r < 4; ++r) {
      auto made = row(0, r, {.wait = s == 0 ? 50.0 : 10.0});
      made.run.scheduler = s;
      rows.push_back(made);
    }
  const auto groups = sweep_groups(sweep, rows);
  const auto found = trade_offs(sweep, groups);
  REQUIRE(found.size() == 1);
  CHECK(found[0].dominators(0) == std::vector<std::size_t>{1});
  CHECK_THAT(verdict_text(sweep, groups, found[0]), Catch::Contains("dominated      fcfs by easy: wait +400.0 %"));
}

}  // namespace
}  // namespace toroid::study
