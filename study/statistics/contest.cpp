#include "toroid/study/statistics/contest.hpp"

#include <cmath>

#include "core/units.hpp"
#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::study {
namespace {

using Contenders = std::vector<Contender>;
using Pair = Contest::Pair;

constexpr std::string_view faster = "faster", slower = "slower", equal = "equal",
                           not_distinguishable = "not distinguishable", too_few_runs = "too few runs";

Runs runs_of(const Contender& contender) {
  return {contender.constant, contender.times, contender.repetitions};
}

bool draw_the_same(const Contender& a, const Contender& b) {
  return std::ranges::any_of(a.lots, [&](const auto& name) { return b.lots.count(name) > 0; });
}

/// Half the width of the interval that samples of iterations leave of the difference of two means.
double half_width_of(const Pair& pair, const Contenders& contenders) {
  return std::hypot(contenders[pair.one].half_width, contenders[pair.other].half_width);
}

Pair compared(const Contenders& contenders, std::size_t one, std::size_t other) {
  TOROID_ASSERT(one != other && one < contenders.size() && other < contenders.size());
  const auto &a = contenders[one], &b = contenders[other];
  Pair pair{one, other, difference_of(runs_of(a), runs_of(b), draw_the_same(a, b))};
  auto& difference = pair.difference;
  if (const double width = half_width_of(pair, contenders); width > 0 && difference.test.empty())
    difference.interval = Interval{difference.mean - width, difference.mean + width};
  return pair;
}

/// The least p that the pair's runs could have given.
double least_p(const Pair& pair, const Contenders& contenders) {
  const auto& d = pair.difference;
  if (!d.paired_by.empty()) return study::least_p(d.test, d.pairs, d.pairs);
  return study::least_p(d.test, contenders[pair.one].times.size(), contenders[pair.other].times.size());
}

std::string_view conclusion(const Pair& pair, const Contenders& contenders, double alpha) {
  const double share = pair.difference.share_below;
  const auto direction = share > 0.5 ? faster : share < 0.5 ? slower : equal;
  if (const double width = half_width_of(pair, contenders); width > 0 && std::abs(pair.difference.mean) <= width)
    return not_distinguishable;
  if (pair.difference.test.empty() || pair.difference.p_holm < alpha) return direction;
  return least_p(pair, contenders) * static_cast<double>(pair.difference.tests) < alpha ? not_distinguishable
                                                                                        : too_few_runs;
}

/// Each two contenders that have runs, or each with the baseline.
std::vector<Pair> all_pairs(const Contenders& contenders, std::optional<std::size_t> baseline, double alpha) {
  std::vector<Pair> pairs;
  const auto compare = [&](std::size_t one, std::size_t other) {
    if (!contenders[one].times.empty() && !contenders[other].times.empty())
      pairs.push_back(compared(contenders, one, other));
  };
  for (std::size_t one = 0; one < contenders.size(); ++one)
    if (!baseline)
      for (auto other = one + 1; other < contenders.size(); ++other) compare(one, other);
    else if (one != *baseline)
      compare(one, *baseline);
  std::vector<Difference*> differences;
  for (auto& pair : pairs) differences.push_back(&pair.difference);
  correct_for_number(differences);
  for (auto& pair : pairs) pair.conclusion = conclusion(pair, contenders, alpha);
  TOROID_ASSERT(pairs.size() <= contenders.size() * contenders.size() / 2);
  return pairs;
}

Pair reversed(Pair pair) {
  std::swap(pair.one, pair.other);
  pair.difference = study::reversed(pair.difference);
  pair.conclusion = pair.conclusion == faster ? slower : pair.conclusion == slower ? faster : pair.conclusion;
  return pair;
}

/// The other one with the p that the conclusion rests on.
std::string in_words(const Pair& pair, const std::string& other) {
  if (pair.difference.test.empty() || pair.conclusion == too_few_runs) return other;
  const auto p =
      pair.difference.p_holm < 0.001 ? std::string("p<0.001") : fmt::format("p={:.2g}", pair.difference.p_holm);
  const auto by = pair.difference.paired_by;
  return fmt::format("{} ({}{}{})", other, p, by.empty() ? "" : ", paired by ", by);
}

/// The least number of runs of each with which a difference could show.
std::size_t runs_needed(const Pair& pair, double alpha) {
  std::size_t runs = 1;
  while (study::least_p(pair.difference.test, runs, runs) * static_cast<double>(pair.difference.tests) >= alpha) ++runs;
  return runs;
}

/// How many runs could be expected to show the difference of a pair that its runs do not show.
std::optional<std::size_t> runs_to_show(const Pair& pair, const Contenders& contenders, double alpha) {
  if (pair.conclusion != not_distinguishable && pair.conclusion != too_few_runs) return std::nullopt;
  const auto runs = study::runs_to_show(pair.difference, alpha / static_cast<double>(pair.difference.tests));
  if (!runs) return std::nullopt;
  const auto present = pair.difference.pairs > 0
                           ? pair.difference.pairs
                           : std::max(contenders[pair.one].times.size(), contenders[pair.other].times.size());
  const auto expected = static_cast<std::size_t>(std::ceil(std::min(*runs, 2.0 * most_repeats)));
  return std::min(std::max({expected, runs_needed(pair, alpha), present + 1}), most_repeats + 1);
}

Contest::Gain gain_of(const Pair& pair, const Contenders& contenders, double alpha) {
  const auto &one = contenders[pair.one], &baseline = contenders[pair.other];
  Contest::Gain gain{
      pair, {}, 1 - alpha / static_cast<double>(pair.difference.tests), {}, runs_to_show(pair, contenders, alpha)};
  gain.speedup = ratio_of(runs_of(baseline), runs_of(one), study::reversed(pair.difference), gain.confidence);
  const double width = std::hypot(netsim::share(one.half_width, mean(one.times)),
                                  netsim::share(baseline.half_width, mean(baseline.times)));
  if (auto& speedup = gain.speedup; speedup && !speedup->interval && pair.difference.test.empty() && width > 0) {
    speedup->interval = Interval{speedup->value * (1 - width), speedup->value * (1 + width)};
    gain.confidence = usual_confidence;
  }
  TOROID_ASSERT(gain.confidence > 0 && gain.confidence < 1);
  if (one.whole && baseline.whole && *one.whole > 0) gain.speedup_of_whole = *baseline.whole / *one.whole;
  return gain;
}

bool is_below(const Contender& a, const Contender& b) {
  return mean(a.times) < mean(b.times) && !nearly_equal(mean(a.times), mean(b.times));
}

/// `; of the median runs with computation that of grasp is the shortest (27.3 ms, random 28 ms)`, if another one than
/// the first is.
std::string order_of_whole(const Contenders& contenders, std::size_t first) {
  const auto least = std::ranges::min_element(
      contenders, [](const auto& a, const auto& b) { return a.whole && (!b.whole || *a.whole < *b.whole); });
  const auto& best = contenders[first];
  if (!least->whole || !best.whole || *least->whole >= *best.whole || nearly_equal(*least->whole, *best.whole))
    return {};
  return fmt::format("; of the median runs with computation that of {} is the shortest ({}, {} {})", least->label,
                     core::format_duration(*least->whole), best.label, core::format_duration(*best.whole));
}

/// `; 5 runs each, consecutive 1; 2 of 7 runs of random failed`.
std::string remarks(const Contenders& contenders) {
  std::string text, text_of_constants;
  double width = 0;
  for (const auto& s : contenders)
    if (!s.times.empty()) width = std::max(width, netsim::share(s.half_width, mean(s.times)));
  if (width > 0) text += fmt::format("; sampled, means known to {:.2g} % or better", 100 * width);
  std::size_t fewest = SIZE_MAX, most = 0;
  for (const auto& s : contenders) {
    if (s.failed > 0)
      text += s.times.empty()
                  ? fmt::format("; {} failed", s.label)
                  : fmt::format("; {} of {} runs of {} failed", s.failed, s.failed + s.times.size(), s.label);
    if (s.constant && !s.times.empty()) text_of_constants += fmt::format(", {} {}", s.label, s.times.size());
    if (s.constant || s.times.empty()) continue;
    fewest = std::min(fewest, s.times.size());
    most = std::max(most, s.times.size());
  }
  if (most == 0) return text;
  const auto range = fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most);
  return fmt::format("; {} run{} each{}{}", range, most == 1 ? "" : "s", text_of_constants, text);
}

/// One part of a verdict: what the one of the lowest mean is to some others.
struct Clause {
  std::string_view conclusion, words;
  std::vector<std::string> others = {};
};

std::string verdict(const Contenders& contenders, const std::vector<Pair>& pairs, std::size_t first, double alpha,
                    std::string_view mean_in_words) {
  std::array clauses{Clause{faster, "better than"}, Clause{equal, "equal to"},
                     Clause{not_distinguishable, "not distinguishable from"}, Clause{slower, "mostly slower than"},
                     Clause{too_few_runs, "too few runs to tell it from"}};
  std::size_t rivals = 0, beaten = 0;
  std::size_t needed = 0;
  for (auto pair : pairs) {
    if (pair.one != first && pair.other != first) continue;
    if (pair.other == first) pair = reversed(pair);
    ++rivals;
    beaten += pair.conclusion == faster ? 1 : 0;
    if (pair.conclusion == too_few_runs) needed = std::max(needed, runs_needed(pair, alpha));
    for (auto& clause : clauses)
      if (clause.conclusion == pair.conclusion) clause.others.push_back(in_words(pair, contenders[pair.other].label));
  }
  const auto& best = contenders[first];
  const auto time = core::format_duration(mean(best.times));
  if (rivals == 0)
    return fmt::format("nothing to compare {} with ({} {})", best.label, mean_in_words, time) + remarks(contenders);
  const auto others = std::ranges::count_if(contenders, [](const auto& c) { return !c.times.empty(); });
  auto text = beaten + 1 == static_cast<std::size_t>(others)
                  ? fmt::format("{} is fastest ({} {})", best.label, mean_in_words, time)
                  : fmt::format("{} has the lowest {} ({})", best.label, mean_in_words, time);
  for (const auto& clause : clauses)
    if (!clause.others.empty()) text += fmt::format("; {} {}", clause.words, core::join(clause.others));
  if (needed > 0) text += fmt::format(": at least {} needed", needed);
  return text + order_of_whole(contenders, first) + remarks(contenders);
}

/// What the contest finds of one contender beside the other; too few runs where it has no such pair.
std::string_view conclusion_on(const Contest& contest, std::size_t one, std::size_t other) {
  for (const auto& pair : contest.pairs) {
    if (pair.one == one && pair.other == other) return pair.conclusion;
    if (pair.one == other && pair.other == one) return reversed(pair).conclusion;
  }
  return too_few_runs;
}

/// The test over all samples of two runs or more, if there are two of them.
std::optional<Contest::OverAll> over_all(const Contenders& contenders) {
  std::vector<std::size_t> members;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < contenders.size(); ++i)
    if (contenders[i].times.size() > 1) {
      members.push_back(i);
      samples.push_back(contenders[i].times);
    }
  if (samples.size() < 2) return std::nullopt;
  return Contest::OverAll{members, kruskal_wallis(samples)};
}

/// Contests of all opinions mean the same contenders.
bool are_of_the_same(const Contest& contest, const Contest& other) {
  return std::ranges::equal(contest.contenders, other.contenders, {}, &Contender::name, &Contender::name);
}

}  // namespace

std::string holds(const Contest& contest, const Contest& other) {
  TOROID_ASSERT(are_of_the_same(contest, other));
  if (!contest.lowest_mean || !other.lowest_mean) return "-";
  const auto first = *contest.lowest_mean;
  std::vector<std::string> against, lost, won;
  for (auto pair : contest.pairs) {
    if (pair.other == first) pair = reversed(pair);
    if (pair.one != first) continue;
    const auto& label = contest.contenders[pair.other].label;
    const auto there = conclusion_on(other, first, pair.other);
    if (there == slower) against.push_back(label);
    if (there == faster && pair.conclusion != faster) won.push_back(label);
    if (there != faster && there != slower && pair.conclusion == faster) lost.push_back(label);
  }
  if (!against.empty()) return fmt::format("no: {} {} faster", core::join(against), against.size() > 1 ? "are" : "is");
  std::vector<std::string> changes;
  if (!lost.empty()) changes.push_back("weaker: not shown against " + core::join(lost));
  if (!won.empty()) changes.push_back("sharper: shown against " + core::join(won) + ", too");
  return changes.empty() ? "yes" : core::join(changes, "; ");
}

bool stands(std::string_view holds) {
  return holds == "yes" || holds.starts_with("sharper");
}

std::vector<std::optional<std::size_t>> places(const Contest& contest) {
  const auto& all = contest.contenders;
  std::vector<std::optional<std::size_t>> places;
  for (const auto& one : all) {
    const auto is_before = [&](const Contender& other) { return !other.times.empty() && is_below(other, one); };
    places.push_back(one.times.empty() ? std::nullopt
                                       : std::optional<std::size_t>(1 + std::ranges::count_if(all, is_before)));
  }
  return places;
}

std::vector<Exchange> exchanges(const Contest& contest, const Contest& other) {
  TOROID_ASSERT(are_of_the_same(contest, other));
  const auto in_order = [](const Contest& in, std::size_t a, std::size_t b) {
    const auto &first = in.contenders[a], &second = in.contenders[b];
    return !first.times.empty() && !second.times.empty() && is_below(first, second);
  };
  std::vector<Exchange> all;
  for (std::size_t a = 0; a < contest.contenders.size(); ++a)
    for (std::size_t b = 0; b < contest.contenders.size(); ++b)
      if (in_order(contest, a, b) && in_order(other, b, a))
        all.push_back({a, b, conclusion_on(contest, a, b) == faster, conclusion_on(other, b, a) == faster});
  return all;
}

Contest judge_times(Contenders contenders, double alpha, std::string_view mean_in_words,
                    std::optional<std::size_t> baseline) {
  TOROID_ASSERT(alpha > 0 && alpha < 1 && (!baseline || *baseline < contenders.size()));
  for (const auto& one : contenders) {
    TOROID_ASSERT(one.repetitions.empty() || one.repetitions.size() == one.times.size());
    TOROID_ASSERT(one.half_width >= 0);
  }
  Contest contest{std::move(contenders), baseline};
  contest.verdict = "all runs failed";
  const auto& all = contest.contenders;
  const auto first = std::ranges::min_element(all, [](const Contender& a, const Contender& b) {
    if (a.times.empty() || b.times.empty()) return !a.times.empty() && b.times.empty();
    return is_below(a, b);
  });
  if (first == all.end() || first->times.empty()) return contest;
  contest.lowest_mean = static_cast<std::size_t>(first - all.begin());
  contest.pairs = all_pairs(all, baseline, alpha);
  if (baseline)
    for (const auto& pair : contest.pairs) contest.gains.push_back(gain_of(pair, all, alpha));
  TOROID_ASSERT(contest.gains.size() == (baseline ? contest.pairs.size() : 0));
  contest.over_all = over_all(all);
  contest.verdict = verdict(all, contest.pairs, *contest.lowest_mean, alpha, mean_in_words);
  return contest;
}

}  // namespace toroid::study
