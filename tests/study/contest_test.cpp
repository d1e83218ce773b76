#include "toroid/study/statistics/contest.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"
#include "toroid/study/statistics/statistics.hpp"

using namespace toroid;
using study::Contender;
using study::judge_times;
using study::Sample;

namespace {

Contender constant(const std::string& name, double time) {
  return {name, name, true, {time}};
}

const Sample fast{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
const Sample near{1.05, 1.15, 1.25, 1.35, 1.45, 1.55, 1.65, 1.75};
const Sample slow{2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7};

}  // namespace

TEST_CASE("a verdict names what differs and what does not") {
  const auto one = judge_times({{"random", "random", false, slow},
                                {"grasp", "grasp", false, fast},
                                {"other", "other", false, near},
                                constant("consecutive", 3)},
                               0.05);
  const double p_close = study::mann_whitney(fast, near);
  CHECK(one.verdict ==
        fmt::format("grasp has the lowest mean (1.35 s); better than random (p<0.001), consecutive (p=0.031); "
                    "not distinguishable from other (p={:.2g}); 8 runs each, consecutive 1",
                    p_close));
  CHECK(one.lowest_mean == 1);
  REQUIRE(one.over_all);
  CHECK(one.over_all->members == std::vector<std::size_t>{0, 1, 2});
  CHECK(one.over_all->test.h == study::kruskal_wallis({slow, fast, near}).h);
  REQUIRE(one.pairs.size() == 6);
  CHECK(one.pairs[0].one == 0);
  CHECK(one.pairs[0].conclusion == "slower");
  CHECK(one.pairs[0].difference.share_below == 0);
  CHECK(one.pairs[0].difference.p_holm == Approx(6 * one.pairs[0].difference.p));
  CHECK(one.pairs[2].difference.test == "sign");
  CHECK(one.pairs[2].difference.p_holm == Approx(4 * 2.0 / 256));  // behind two tests of less p, whatever their kind
  CHECK(one.pairs[2].difference.tests == 6);
}

TEST_CASE("a stricter level takes a verdict back") {
  const std::vector<Contender> both{{"grasp", "G", false, fast}, {"random", "R", false, slow}};
  CHECK_THAT(judge_times(both, 0.05).verdict, Catch::Contains("G is fastest (mean 1.35 s); better than R"));
  CHECK_THAT(judge_times(both, 0.0001).verdict, Catch::Contains("too few runs to tell it from R"));
}

TEST_CASE("few runs are said to be few, and how many could show a difference") {
  CHECK(judge_times({{"g", "grasp", false, {1, 1.1, 1.2}}, {"r", "random", false, {9, 9.1, 9.2}}}, 0.05).verdict ==
        "grasp has the lowest mean (1.1 s); too few runs to tell it from random: at least 4 needed; "
        "3 runs each");
  CHECK_THAT(judge_times({{"g", "grasp", false, {1, 1.1, 1.2, 1.3}}, {"r", "random", false, {9, 9.1, 9.2, 9.3}}}, 0.05)
                 .verdict,
             Catch::StartsWith("grasp is fastest"));
}

TEST_CASE("mappers that draw no lots are compared as they are") {
  const auto one = judge_times({constant("consecutive", 2), constant("a.map", 1), constant("b.map", 1)}, 0.05);
  CHECK(one.verdict == "a.map has the lowest mean (1 s); better than consecutive; equal to b.map");
  CHECK_FALSE(one.over_all);
  CHECK(one.pairs[0].difference.test.empty());
}

TEST_CASE("runs that draw the same lots are compared in pairs, which tell small differences apart") {
  // The lots make more of a difference than the contenders: from 1 s to 8 s, and 0.01 to 0.08 s.
  Contender lower{"a", "a", false, {}, 0, {}, {"random"}}, higher{"b", "b", false, {}, 0, {}, {"random", "refine"}};
  for (std::size_t r = 0; r < 8; ++r) {
    const auto seconds = static_cast<double>(1 + (3 * r) % 8);
    for (auto* one : {&lower, &higher}) {
      one->times.push_back(one == &lower ? seconds : 1.01 * seconds);
      one->repetitions.push_back(r);
    }
  }
  const auto in_pairs = judge_times({lower, higher}, 0.05);
  CHECK(in_pairs.verdict == "a is fastest (mean 4.5 s); better than b (p=0.0078, paired by seed); 8 runs each");
  REQUIRE(in_pairs.pairs.size() == 1);
  const auto& difference = in_pairs.pairs[0].difference;
  CHECK(difference.test == "signed_rank");
  CHECK(difference.p == Approx(2.0 / 256));
  CHECK(difference.pairs == 8);
  CHECK(difference.mean == Approx(-0.045));
  CHECK(difference.share_below == 1);
  higher.lots = {"refine"};
  CHECK_THAT(judge_times({lower, higher}, 0.05).verdict, Catch::Contains("not distinguishable from b (p="));
  // Repetitions that failed on one side are no pairs.
  higher.lots = {"random"};
  for (auto* values : {&lower.times, &higher.times}) values->resize(7);
  lower.repetitions = {0, 1, 2, 3, 4, 5, 6};
  higher.repetitions = {1, 2, 3, 4, 5, 6, 7};
  lower.failed = higher.failed = 1;
  CHECK(judge_times({lower, higher}, 0.05).pairs[0].difference.pairs == 6);
  lower.repetitions = {0, 1, 2, 3, 4, 5, 6};
  higher.repetitions = {7, 8, 9, 10, 11, 12, 13};
  CHECK(judge_times({lower, higher}, 0.05).pairs[0].difference.test == "mann_whitney");
}

TEST_CASE("the lowest mean may belong to a mapper that is mostly slower") {
  Sample typical(20, 0), outliers(20, 0);
  for (std::size_t i = 0; i < 20; ++i) {
    const double step = 0.001 * static_cast<double>(i);
    outliers[i] = i < 2 ? 100 : 1 + step;  // mostly the faster one, but for two runs
    typical[i] = 2 + step;
  }
  CHECK_THAT(
      judge_times({{"outliers", "outliers", false, outliers}, {"typical", "typical", false, typical}}, 0.05).verdict,
      Catch::StartsWith("typical has the lowest mean") && Catch::Contains("mostly slower than outliers (p<0.001)"));
}

TEST_CASE("mappers that do not differ are seldom said to differ") {
  core::Random random(1, "no difference");
  constexpr int studies = 500;
  int wrong = 0;
  for (int i = 0; i < studies; ++i) {
    std::vector<Contender> all;
    for (const char* map : {"a", "b", "c", "d"}) {
      Sample times;
      for (int r = 0; r < 8; ++r) times.push_back(1 + random.unit());
      all.push_back({map, map, false, times});
    }
    const auto pairs = judge_times(all, 0.05).pairs;
    wrong += std::any_of(pairs.begin(), pairs.end(),
                         [](const auto& pair) { return pair.conclusion == "faster" || pair.conclusion == "slower"; });
  }
  CHECK(wrong <= 0.05 * studies);
}

TEST_CASE("failed runs are left out and told") {
  const auto one = judge_times({{"grasp", "grasp", false, {1, 1.2}, 1}, {"random", "random", false, {}, 3}}, 0.05);
  CHECK(one.verdict ==
        "nothing to compare grasp with (mean 1.1 s); 2 runs each; 1 of 3 runs of grasp failed; random failed");
  CHECK(one.pairs.empty());
  const auto none = judge_times({{"grasp", "grasp", false, {}, 1}}, 0.05);
  CHECK(none.verdict == "all runs failed");
  CHECK_FALSE(none.lowest_mean);
}

TEST_CASE("a verdict holds in another contest if what is slower is so there") {
  const auto contest = [](const Sample& grasp, const Sample& random, double consecutive) {
    return judge_times(
        {{"g", "grasp", false, grasp}, {"r", "random", false, random}, constant("consecutive", consecutive)}, 0.05);
  };
  const auto verdict = contest(fast, slow, 3);  // grasp is better than both
  CHECK(study::holds(verdict, contest(fast, slow, 2)) == "yes");
  CHECK(study::holds(verdict, contest(fast, near, 3)) == "weaker: not shown against random");
  CHECK(study::holds(verdict, contest(slow, fast, 3)) == "no: random is faster");
  CHECK(study::holds(verdict, contest(slow, fast, 1)) == "no: random, consecutive are faster");
  CHECK(study::holds(contest(fast, near, 3), contest(near, fast, 3)) == "yes");  // that two are alike claims nothing
  CHECK(study::holds(contest(fast, near, 3), contest(fast, slow, 3)) == "sharper: shown against random, too");
  CHECK(study::holds(contest(fast, near, 3), contest(slow, fast, 3)) == "no: random is faster");
}

TEST_CASE("with a baseline all are compared with it alone, in one family of tests") {
  const std::vector<Contender> all{{"random", "random", false, slow},
                                   {"grasp", "grasp", false, fast},
                                   {"other", "other", false, near},
                                   constant("consecutive", 3)};
  const auto one = judge_times(all, 0.05, "mean", 1);
  REQUIRE(one.gains.size() == 3);
  REQUIRE(one.pairs.size() == 3);
  const auto& random = one.gains[0];
  CHECK(random.pair.conclusion == "slower");
  CHECK(random.pair.difference.p_holm == Approx(3 * random.pair.difference.p));
  CHECK(random.pair.difference.p_holm == one.pairs[0].difference.p_holm);
  CHECK(random.pair.difference.tests == 3);
  CHECK(random.confidence == Approx(1 - 0.05 / 3));
  CHECK(random.speedup->value < 1);
  const auto ratio = study::ratio_of({false, fast}, {false, slow},
                                     study::difference_of({false, fast}, {false, slow}, false), 1 - 0.05 / 3);
  CHECK(random.speedup->value == ratio->value);
  CHECK(random.speedup->interval->high == ratio->interval->high);
  CHECK_FALSE(random.runs_to_show);
  CHECK(one.gains[1].pair.conclusion == "not distinguishable");
  CHECK(*one.gains[1].runs_to_show > 8);
  CHECK(one.gains[2].pair.difference.test == "sign");
  CHECK(one.gains[2].pair.difference.p_holm == Approx(2 * 2.0 / 256));
  CHECK_THAT(one.verdict, Catch::StartsWith("grasp has the lowest mean") && Catch::Contains("better than random"));
  // What has the lowest mean is not the fastest, as only the baseline is held against it.
  const auto beside_random = judge_times(all, 0.05, "mean", 0);
  CHECK_THAT(beside_random.verdict,
             Catch::StartsWith("grasp has the lowest mean (1.35 s); better than random (p<0.001); 8"));
  CHECK(judge_times(all, 0.05).gains.empty());
  // Over a constant: tests against it, and none between constants.
  const auto over_constant = judge_times(all, 0.05, "mean", 3);
  CHECK(over_constant.gains[1].speedup->value == Approx(3 / std::sqrt(1.3 * 1.4)));
  CHECK(over_constant.gains[1].pair.difference.p_holm == Approx(3 * 2.0 / 256));
  const auto certain = judge_times({constant("a", 2), constant("b", 1)}, 0.05, "mean", 0);
  CHECK(certain.gains[0].pair.conclusion == "faster");
  CHECK(certain.gains[0].speedup->value == 2);
  CHECK_FALSE(certain.gains[0].speedup->interval);
  // A baseline that failed has no gains over it, and what failed gains nothing.
  for (const std::size_t baseline : {0U, 1U})
    CHECK(judge_times({{"a", "a", false, {}, 3}, constant("b", 1)}, 0.05, "mean", baseline).gains.empty());
}

TEST_CASE("too few runs that lie apart are told how many could show it") {
  const auto one =
      judge_times({{"g", "grasp", false, {1, 1.1, 1.2}}, {"r", "random", false, {9, 9.1, 9.2}}}, 0.05, "mean", 1);
  CHECK(one.gains[0].pair.conclusion == "too few runs");
  CHECK(*one.gains[0].runs_to_show == 6);  // Noether's (1.96 + 0.84)^2 / (6 / 4) = 5.2, and four at least
}

TEST_CASE("so many runs as could show a difference are more than there are, and at most what a study can have") {
  core::Random random(3, "to show");
  std::size_t told = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<Contender> all{{"a", "a", false}, {"b", "b", i % 3 == 0}, {"c", "c", false}};
    for (auto& one : all) {
      const auto runs = one.constant ? 1 : 3 + random.below(12);
      for (std::size_t r = 0; r < runs; ++r) {
        one.times.push_back(1 + static_cast<double>(random.below(4)));  // many are equal
        one.repetitions.push_back(r);
      }
      if (i % 2 == 0) one.lots = {"lots"};
    }
    for (const auto& gain : judge_times(all, 0.05, "mean", 1).gains) {
      if (!gain.runs_to_show) continue;
      ++told;
      const auto& d = gain.pair.difference;
      CHECK(*gain.runs_to_show >
            (d.pairs > 0 ? d.pairs : std::max(all[gain.pair.one].times.size(), all[1].times.size())));
      CHECK(*gain.runs_to_show <= study::most_repeats + 1);
    }
  }
  CHECK(told > 100);
  // Halves that differ by next to nothing.
  Sample even(4001, 1.0), odd(4001, 1.0);
  for (std::size_t i = 0; i < even.size(); ++i) {
    even[i] += 1e-3 * static_cast<double>(i);
    odd[i] += 1e-3 * static_cast<double>(i);
  }
  odd[0] = 1.0005;
  CHECK(judge_times({{"a", "a", false, even}, {"b", "b", false, odd}}, 0.05, "mean", 0).gains[0].runs_to_show ==
        study::most_repeats + 1);
}

TEST_CASE("places are by the mean, ties share one") {
  const auto one = judge_times(
      {constant("a", 2), constant("b", 1), {"c", "c", false, {}, 2}, constant("d", 2), constant("e", 3)}, 0.05);
  using Place = std::optional<std::size_t>;
  CHECK(study::places(one) == std::vector<Place>{2, 1, std::nullopt, 2, 4});
}

TEST_CASE("an exchange of means is shown where both contests find a difference") {
  const auto contest = [](const Sample& grasp, const Sample& random, double consecutive) {
    return judge_times(
        {{"g", "grasp", false, grasp}, {"r", "random", false, random}, constant("consecutive", consecutive)}, 0.05);
  };
  CHECK(study::exchanges(contest(fast, slow, 3), contest(fast, slow, 2.9)).empty());
  const auto shown = study::exchanges(contest(fast, slow, 3), contest(slow, fast, 3));
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].one == 0);
  CHECK(shown[0].other == 1);
  CHECK((shown[0].shown && shown[0].shown_there));
  // Samples that overlap have their means in some order, which says nothing.
  const auto chance = study::exchanges(contest(fast, near, 3), contest(near, fast, 3));
  REQUIRE(chance.size() == 1);
  CHECK_FALSE((chance[0].shown || chance[0].shown_there));
  const auto half = study::exchanges(contest(fast, slow, 3), contest(near, fast, 3));
  REQUIRE(half.size() == 1);
  CHECK((half[0].shown && !half[0].shown_there));
  // What failed in one of them changes no places.
  CHECK(study::exchanges(contest(fast, slow, 3), contest(slow, {}, 3)).empty());
}

TEST_CASE("a verdict names the shortest time with computation, if that is of another one") {
  auto a = constant("a", 1), b = constant("b", 2), c = constant("c", 3);
  a.whole = 20;
  b.whole = 15;
  CHECK_THAT(judge_times({a, b, c}, 0.05).verdict,
             Catch::EndsWith("; of the median runs with computation that of b is the shortest (15 s, a 20 s)"));
  b.whole = 20.0 * (1 + 1e-12);
  CHECK_THAT(judge_times({a, b, c}, 0.05).verdict, !Catch::Contains("with computation"));
}

TEST_CASE("A difference within the intervals of samples of iterations is not distinguishable") {
  const auto sampled = [](const std::string& name, double time, double half_width) {
    auto one = constant(name, time);
    one.half_width = half_width;
    return one;
  };
  // The half width of a difference is that of independent errors: 0.05 of 0.03 and 0.04.
  const auto judged = [&](double of_b) {
    return judge_times({sampled("a", 1, 0.03), sampled("b", of_b, 0.04), constant("c", 3)}, 0.05, "mean", 0);
  };
  const auto close = judged(1.049), apart = judged(1.051);
  CHECK_THAT(close.verdict, Catch::Contains("a has the lowest mean (1 s)") && Catch::Contains("better than c") &&
                                Catch::Contains("not distinguishable from b") &&
                                Catch::Contains("sampled, means known to 3.8 % or better"));
  CHECK(close.pairs[0].conclusion == "not distinguishable");
  CHECK(apart.pairs[0].conclusion == "slower");
  CHECK_THAT(apart.verdict, Catch::StartsWith("a is fastest (mean 1 s); better than b, c"));
  REQUIRE(close.pairs[0].difference.interval);
  CHECK(close.pairs[0].difference.interval->low == Approx(-0.001));
  CHECK(close.pairs[0].difference.interval->high == Approx(0.099));
  REQUIRE(close.gains[0].speedup->interval);
  const double width = std::hypot(0.03 / 1, 0.04 / 1.049);
  CHECK(close.gains[0].speedup->interval->low == Approx(1 / 1.049 * (1 - width)));
  CHECK(close.gains[0].speedup->interval->high == Approx(1 / 1.049 * (1 + width)));
  // Runs that draw lots: the test alone would say that they differ.
  auto a = Contender{"a", "a", false, fast}, b = Contender{"b", "b", false, slow};
  CHECK(judge_times({a, b}, 0.05).pairs[0].conclusion == "faster");
  a.half_width = b.half_width = 1;
  CHECK(judge_times({a, b}, 0.05).pairs[0].conclusion == "not distinguishable");
}
