#include "study/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "core/units.hpp"
#include "study/comparison.hpp"
#include "study/statistics.hpp"

namespace toroid::study {

using core::Json;

namespace {

struct Strategy {
  std::string map;
  bool constant;  ///< draws no lots: one run, which is all there is to know
  Sample times;
  std::size_t failed = 0;
};

/// Two strategies that have runs, by their indices, and how the first compares with the other.
struct Pair {
  std::size_t map, other;
  std::string_view test;  ///< empty: two constants, nothing to test
  double p, p_holm;
  std::size_t tests;  ///< of this kind, which share the level of significance
  double faster_share;
  std::string_view conclusion;
};

constexpr std::string_view mann_whitney_name = "mann_whitney", sign_name = "sign";
constexpr std::string_view faster = "faster", slower = "slower", equal = "equal",
                           not_distinguishable = "not distinguishable", too_few_runs = "too few runs";

std::vector<Strategy> strategies_of(const std::vector<Json>& rows) {
  std::vector<Strategy> strategies;
  for (const auto& row : rows) {
    if (strategies.empty() || strategies.back().map != row["map"])
      strategies.push_back({row["map"], row["seed"].is_null(), {}});
    if (row["runtime_s"].is_null())
      ++strategies.back().failed;
    else
      strategies.back().times.push_back(row["runtime_s"]);
  }
  return strategies;
}

Pair compared(const std::vector<Strategy>& strategies, std::size_t map, std::size_t other) {
  const auto& a = strategies[map];
  const auto& b = strategies[other];
  Pair pair{map, other, {}, 1, 1, 1, share_below(a.times, b.times), {}};
  if (!a.constant && !b.constant) {
    pair.test = mann_whitney_name;
    pair.p = mann_whitney(a.times, b.times);
  } else if (a.constant != b.constant) {
    pair.test = sign_name;
    pair.p = a.constant ? sign_test(b.times, a.times[0]) : sign_test(a.times, b.times[0]);
  }
  return pair;
}

double least_p(std::string_view test, std::size_t runs, std::size_t other_runs) {
  return test == sign_name ? least_sign_test(std::max(runs, other_runs)) : least_mann_whitney(runs, other_runs);
}

std::string_view conclusion(const Pair& pair, const std::vector<Strategy>& strategies, double alpha) {
  const auto direction = pair.faster_share > 0.5 ? faster : pair.faster_share < 0.5 ? slower : equal;
  if (pair.test.empty() || pair.p_holm < alpha) return direction;
  const double least = least_p(pair.test, strategies[pair.map].times.size(), strategies[pair.other].times.size());
  return least * static_cast<double>(pair.tests) < alpha ? not_distinguishable : too_few_runs;
}

/// Corrects the p-values of one kind of test for their number.
void correct(std::vector<Pair>& pairs, std::string_view test) {
  std::vector<double> p;
  for (const auto& pair : pairs)
    if (pair.test == test) p.push_back(pair.p);
  const auto adjusted = holm(p);
  auto next = adjusted.begin();
  for (auto& pair : pairs)
    if (pair.test == test) {
      pair.p_holm = *next++;
      pair.tests = p.size();
    }
}

std::vector<Pair> all_pairs(const std::vector<Strategy>& strategies, double alpha) {
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < strategies.size(); ++a)
    for (std::size_t b = a + 1; b < strategies.size(); ++b)
      if (!strategies[a].times.empty() && !strategies[b].times.empty()) pairs.push_back(compared(strategies, a, b));
  correct(pairs, mann_whitney_name);
  correct(pairs, sign_name);
  for (auto& pair : pairs) pair.conclusion = conclusion(pair, strategies, alpha);
  return pairs;
}

/// The same pair seen from the other side.
Pair reversed(Pair pair) {
  std::swap(pair.map, pair.other);
  pair.faster_share = 1 - pair.faster_share;
  pair.conclusion = pair.conclusion == faster ? slower : pair.conclusion == slower ? faster : pair.conclusion;
  return pair;
}

/// The other mapper with the p that the conclusion rests on.
std::string in_words(const Pair& pair, const std::string& other) {
  if (pair.test.empty() || pair.conclusion == too_few_runs) return other;
  return pair.p_holm < 0.001 ? fmt::format("{} (p<0.001)", other) : fmt::format("{} (p={:.2g})", other, pair.p_holm);
}

/// The least number of runs of each mapper with which a difference could show.
std::size_t runs_needed(const Pair& pair, double alpha) {
  std::size_t runs = 1;
  while (least_p(pair.test, runs, runs) * static_cast<double>(pair.tests) >= alpha) ++runs;
  return runs;
}

/// `; 5 runs each; 2 of 7 runs of random failed`.
std::string remarks(const std::vector<Strategy>& strategies) {
  std::string text;
  std::size_t fewest = SIZE_MAX, most = 0;
  for (const auto& s : strategies) {
    if (s.failed > 0)
      text += s.times.empty() ? fmt::format("; {} failed", s.map)
                              : fmt::format("; {} of {} runs of {} failed", s.failed, s.failed + s.times.size(), s.map);
    if (s.constant || s.times.empty()) continue;
    fewest = std::min(fewest, s.times.size());
    most = std::max(most, s.times.size());
  }
  if (most == 0) return text;
  const auto range = fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most);
  return fmt::format("; {} run{} each{}", range, most == 1 ? "" : "s", text);
}

/// One part of a verdict: what the mapper of the lowest mean is to some others.
struct Clause {
  std::string_view conclusion, words;
  std::vector<std::string> others = {};
};

std::string verdict(const std::vector<Strategy>& strategies, const std::vector<Pair>& pairs, std::size_t first,
                    double alpha) {
  std::array clauses{Clause{faster, "better than"}, Clause{equal, "equal to"},
                     Clause{not_distinguishable, "not distinguishable from"}, Clause{slower, "mostly slower than"},
                     Clause{too_few_runs, "too few runs to tell it from"}};
  bool compared_at_all = false, beats_all = true;
  std::size_t needed = 0;
  for (auto pair : pairs) {
    if (pair.map != first && pair.other != first) continue;
    if (pair.other == first) pair = reversed(pair);
    compared_at_all = true;
    beats_all = beats_all && pair.conclusion == faster;
    if (pair.conclusion == too_few_runs) needed = std::max(needed, runs_needed(pair, alpha));
    for (auto& clause : clauses)
      if (clause.conclusion == pair.conclusion) clause.others.push_back(in_words(pair, strategies[pair.other].map));
  }
  const auto& best = strategies[first];
  const auto time = core::format_duration(mean(best.times));
  if (!compared_at_all)
    return fmt::format("nothing to compare {} with (mean {})", best.map, time) + remarks(strategies);
  auto text = fmt::format("{} {}{})", best.map, beats_all ? "is fastest (mean " : "has the lowest mean (", time);
  for (const auto& clause : clauses)
    if (!clause.others.empty()) text += fmt::format("; {} {}", clause.words, core::join(clause.others));
  if (needed > 0) text += fmt::format(": at least {} needed", needed);
  return text + remarks(strategies);
}

/// The test over all samples of two runs or more, or null if there are not two of them.
Json kruskal_wallis_of(const std::vector<Strategy>& strategies) {
  Json maps = Json::array();
  std::vector<Sample> samples;
  for (const auto& s : strategies)
    if (s.times.size() > 1) {
      maps.push_back(s.map);
      samples.push_back(s.times);
    }
  if (samples.size() < 2) return nullptr;
  const auto r = kruskal_wallis(samples);
  return {{"maps", maps}, {"h", r.h}, {"degrees_of_freedom", r.degrees_of_freedom}, {"p", r.p}};
}

Json pairs_json(const std::vector<Pair>& pairs, const std::vector<Strategy>& strategies) {
  Json all = Json::array();
  for (const auto& pair : pairs) {
    const bool tested = !pair.test.empty();
    all.push_back({{"map", strategies[pair.map].map},
                   {"other", strategies[pair.other].map},
                   {"test", tested ? Json(pair.test) : Json()},
                   {"p", tested ? Json(pair.p) : Json()},
                   {"p_holm", tested ? Json(pair.p_holm) : Json()},
                   {"faster_share", pair.faster_share},
                   {"conclusion", pair.conclusion}});
  }
  return all;
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json correlations(const std::vector<Json>& rows) {
  Json all = Json::array();
  for (const char* metric : metrics) {
    Sample proxies, times;
    for (const auto& row : rows)
      if (!row["runtime_s"].is_null()) {
        proxies.push_back(row[metric]);
        times.push_back(row["runtime_s"]);
      }
    all.push_back({{"metric", metric},
                   {"spearman", or_null(spearman(proxies, times))},
                   {"pearson", or_null(pearson(proxies, times))}});
  }
  return all;
}

/// The statistics of one machine and trace.
Json statistics_of_one(const std::vector<Json>& rows, double alpha) {
  const auto strategies = strategies_of(rows);
  const auto pairs = all_pairs(strategies, alpha);
  const auto first = std::min_element(strategies.begin(), strategies.end(), [](const Strategy& a, const Strategy& b) {
    if (a.times.empty() || b.times.empty()) return !a.times.empty();
    return mean(a.times) < mean(b.times) && !nearly_equal(mean(a.times), mean(b.times));
  });
  const bool any = !first->times.empty();
  const auto index = static_cast<std::size_t>(first - strategies.begin());
  return {{"platform", rows[0]["platform"]},
          {"trace", rows[0]["trace"]},
          {"verdict", any ? verdict(strategies, pairs, index, alpha) : "all runs failed"},
          {"lowest_mean", any ? Json(first->map) : Json()},
          {"kruskal_wallis", kruskal_wallis_of(strategies)},
          {"pairs", pairs_json(pairs, strategies)},
          {"correlations", correlations(rows)}};
}

}  // namespace

Json statistics_of(const Json& rows, double alpha) {
  Json all = Json::array();
  std::vector<Json> same;  // machine and trace
  for (std::size_t i = 0; i < rows.size(); ++i) {
    same.push_back(rows[i]);
    if (i + 1 < rows.size() && rows[i + 1]["platform"] == rows[i]["platform"] &&
        rows[i + 1]["trace"] == rows[i]["trace"])
      continue;
    all.push_back(statistics_of_one(same, alpha));
    same.clear();
  }
  return all;
}

Json correlations_of(const Json& statistics) {
  Json all = Json::array();
  for (std::size_t m = 0; m < std::size(metrics); ++m) {
    Sample rank, linear;
    for (const auto& one : statistics) {
      const auto& correlation = one["correlations"][m];
      if (correlation["spearman"].is_null() || correlation["pearson"].is_null()) continue;
      rank.push_back(correlation["spearman"]);
      linear.push_back(correlation["pearson"]);
    }
    Json line{{"metric", metrics[m]}, {"count", rank.size()}};
    const bool any = !rank.empty();
    line["spearman_median"] = any ? Json(median(rank)) : Json();
    line["spearman_lowest"] = any ? Json(*std::min_element(rank.begin(), rank.end())) : Json();
    line["spearman_highest"] = any ? Json(*std::max_element(rank.begin(), rank.end())) : Json();
    line["pearson_median"] = any ? Json(median(linear)) : Json();
    all.push_back(line);
  }
  return all;
}

}  // namespace toroid::study
