#include "study/verdict.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "study/statistics.hpp"

using namespace toroid;
using study::Contender;
using study::judge;
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
  const auto one = judge({{"random", "random", false, slow},
                          {"grasp", "grasp", false, fast},
                          {"other", "other", false, near},
                          constant("consecutive", 3)},
                         0.05);
  const double p_close = study::mann_whitney(fast, near);
  CHECK(one.verdict ==
        fmt::format("grasp has the lowest mean (1.35 s); better than random (p<0.001), consecutive (p=0.023); "
                    "not distinguishable from other (p={:.2g}); 8 runs each",
                    p_close));
  CHECK(one.lowest_mean == 1);
  REQUIRE(one.over_all);
  CHECK(one.over_all->members == std::vector<std::size_t>{0, 1, 2});
  CHECK(one.over_all->test.h == study::kruskal_wallis({slow, fast, near}).h);
  REQUIRE(one.pairs.size() == 6);
  CHECK(one.pairs[0].one == 0);
  CHECK(one.pairs[0].conclusion == "slower");
  CHECK(one.pairs[0].faster_share == 0);
  CHECK(one.pairs[0].p_holm == Approx(3 * one.pairs[0].p));
  CHECK(one.pairs[2].test == "sign");
  CHECK(one.pairs[2].p_holm == Approx(3 * 2.0 / 256));  // three mappers against the constant
}

TEST_CASE("a stricter level takes a verdict back") {
  const std::vector<Contender> both{{"grasp", "G", false, fast}, {"random", "R", false, slow}};
  CHECK_THAT(judge(both, 0.05).verdict, Catch::Contains("G is fastest (mean 1.35 s); better than R"));
  CHECK_THAT(judge(both, 0.0001).verdict, Catch::Contains("too few runs to tell it from R"));
}

TEST_CASE("few runs are said to be few, and how many could show a difference") {
  CHECK(judge({{"g", "grasp", false, {1, 1.1, 1.2}}, {"r", "random", false, {9, 9.1, 9.2}}}, 0.05).verdict ==
        "grasp has the lowest mean (1.1 s); too few runs to tell it from random: at least 4 needed; "
        "3 runs each");
  CHECK_THAT(
      judge({{"g", "grasp", false, {1, 1.1, 1.2, 1.3}}, {"r", "random", false, {9, 9.1, 9.2, 9.3}}}, 0.05).verdict,
      Catch::StartsWith("grasp is fastest"));
}

TEST_CASE("mappers that draw no lots are compared as they are") {
  const auto one = judge({constant("consecutive", 2), constant("a.map", 1), constant("b.map", 1)}, 0.05);
  CHECK(one.verdict == "a.map has the lowest mean (1 s); better than consecutive; equal to b.map");
  CHECK_FALSE(one.over_all);
  CHECK(one.pairs[0].test.empty());
}

TEST_CASE("the lowest mean may belong to a mapper that is mostly slower") {
  Sample typical(20, 0), outliers(20, 0);
  for (std::size_t i = 0; i < 20; ++i) {
    const double step = 0.001 * static_cast<double>(i);
    outliers[i] = i < 2 ? 100 : 1 + step;  // mostly the faster one, but for two runs
    typical[i] = 2 + step;
  }
  CHECK_THAT(
      judge({{"outliers", "outliers", false, outliers}, {"typical", "typical", false, typical}}, 0.05).verdict,
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
    const auto pairs = judge(all, 0.05).pairs;
    wrong += std::any_of(pairs.begin(), pairs.end(),
                         [](const auto& pair) { return pair.conclusion == "faster" || pair.conclusion == "slower"; });
  }
  CHECK(wrong <= 0.05 * studies);
}

TEST_CASE("failed runs are left out and told") {
  const auto one = judge({{"grasp", "grasp", false, {1, 1.2}, 1}, {"random", "random", false, {}, 3}}, 0.05);
  CHECK(one.verdict ==
        "nothing to compare grasp with (mean 1.1 s); 2 runs each; 1 of 3 runs of grasp failed; random failed");
  CHECK(one.pairs.empty());
  const auto none = judge({{"grasp", "grasp", false, {}, 1}}, 0.05);
  CHECK(none.verdict == "all runs failed");
  CHECK_FALSE(none.lowest_mean);
}

TEST_CASE("a verdict holds in another contest if what is slower is so there") {
  const auto contest = [](const Sample& grasp, const Sample& random, double consecutive) {
    return judge({{"g", "grasp", false, grasp}, {"r", "random", false, random}, constant("consecutive", consecutive)},
                 0.05);
  };
  const auto verdict = contest(fast, slow, 3);  // grasp is better than both
  CHECK(study::holds(verdict, contest(fast, slow, 2)) == "yes");
  CHECK(study::holds(verdict, contest(fast, near, 3)) == "not shown against random");
  CHECK(study::holds(verdict, contest(slow, fast, 3)) == "no: random is faster");
  CHECK(study::holds(verdict, contest(slow, fast, 1)) == "no: random, consecutive are faster");
  CHECK(study::holds(contest(fast, near, 3), contest(near, fast, 3)) == "yes");  // that two are alike claims nothing
}
