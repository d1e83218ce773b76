#include "study/uncertainty.hpp"

#include <algorithm>
#include <map>

#include "core/assert.hpp"
#include "study/statistics/verdict.hpp"

namespace toroid::study {
namespace {

using core::Json;
using Opinions = std::vector<Opinion>;

/// The mean time of a group.
std::optional<DrawnTime> mean_time(const Group& group) {
  if (group.times.empty()) return std::nullopt;
  Sample deviating;
  for (const auto& row : group.rows)
    if (const auto& m = row.measures)
      deviating.push_back(
          netsim::deviating_seconds(m->runtime * (1 - m->compute_share), m->runtime * m->sharing_share));
  return DrawnTime{mean(group.times), mean(deviating)};
}

DrawnTimes times_of(std::size_t group, const Opinions& draws) {
  DrawnTimes times;
  for (const auto& draw : draws) times.push_back(mean_time(draw.report.groups[group]));
  return times;
}

DrawnVerdict verdict_of(const Contest& contest, std::size_t number, const Opinions& draws) {
  DrawnVerdict verdict;
  std::map<std::string, std::size_t> said;
  for (const auto& draw : draws) {
    const auto text = holds(contest, *draw.report.contests()[number]);
    stands(text) ? ++verdict.holds_on : ++said[text];
  }
  verdict.otherwise.assign(said.begin(), said.end());
  std::ranges::stable_sort(verdict.otherwise, std::greater<>(), [](const auto& other) { return other.second; });
  return verdict;
}

/// The mean time of a contender, which may be for other work than its group's (Comparison::equal_tokens).
std::optional<DrawnTime> mean_time(const Report& report, const Contender& contender) {
  auto time = mean_time(report.groups[contender.group]);
  if (!time || contender.times.empty() || time->seconds <= 0) return std::nullopt;
  const double scale = mean(contender.times) / time->seconds;
  return DrawnTime{time->seconds * scale, time->deviating * scale};
}

/// The mean times of two contenders on each machine where both ran.
std::vector<DrawnPair> pairs_of(std::size_t contest, std::size_t one, std::size_t other, const Opinions& draws) {
  std::vector<DrawnPair> all;
  for (const auto& draw : draws) {
    const auto& contenders = draw.report.contests()[contest]->contenders;
    const auto a = mean_time(draw.report, contenders[one]), b = mean_time(draw.report, contenders[other]);
    if (a && b) all.emplace_back(*a, *b);
  }
  return all;
}

void add_gains(const Contest& contest, std::size_t number, Factor subject, const Opinions& draws, Uncertainty& said) {
  if (!contest.lowest_mean) return;
  const auto pivot = contest.baseline.value_or(*contest.lowest_mean);
  for (std::size_t i = 0; i < contest.contenders.size(); ++i) {
    if (i == pivot) continue;
    const auto one = contest.baseline ? i : pivot, other = contest.baseline ? pivot : i;
    const auto pairs = pairs_of(number, one, other, draws);
    if (pairs.empty()) continue;
    Sample found;
    for (const auto& [first, second] : pairs) found.push_back(second.seconds / first.seconds);
    const auto faster = std::ranges::count_if(found, [](double r) { return r > 1 && !nearly_equal(r, 1); });
    const bool is_one_program = subject == Factor::map || subject == Factor::alloc;
    said.gains.push_back({number, one, other, spread_of(found), predicted_ratio(pairs, said.deviation, is_one_program),
                          static_cast<std::size_t>(faster), found.size()});
  }
}

/// Writes what the machines say.
class Writer {
 public:
  explicit Writer(const Compared& compared)
      : comparison_(compared.comparison),
        report_(compared.report),
        draws_(compared.draws),
        names_(comparison_.spec().names()) {}

  Json json(const Uncertainty& said) const {
    auto json = drawn_json(draws_.size(), comparison_.spec().engine);
    json["intervals"] = intervals();
    for (const char* list : {"times", "verdicts", "gains", "rows"}) json[list] = Json::array();
    for (std::size_t g = 0; g < said.times.size(); ++g) json["times"].push_back(times(g, said.times[g]));
    for (std::size_t c = 0; c < said.verdicts.size(); ++c) json["verdicts"].push_back(verdict(c, said.verdicts[c]));
    for (const auto& one : said.gains) json["gains"].push_back(gain(one));
    for (std::size_t d = 0; d < draws_.size(); ++d) add_rows(json["rows"], d);
    return json;
  }

 private:
  Json intervals() const {
    Json all = Json::array();
    for (std::size_t p = 0; p < comparison_.draws().size(); ++p)
      for (const auto& interval : comparison_.draws()[p].intervals) {
        Json one{{"platform", names_.platforms[p]}};
        one.update(interval_json(interval));
        all.push_back(std::move(one));
      }
    return all;
  }

  Json names_of(std::size_t group) const { return names_json(names_, report_.groups[group].run); }

  Json times(std::size_t group, const DrawnTimes& times) const {
    auto json = names_of(group);
    const auto spread = spread_json(comparison_.draws()[report_.groups[group].run.platform], times,
                                    comparison_.spec().engine.thing().deviation);
    json.update(!spread.is_null() ? spread
                                  : Json{{"median_s", nullptr},
                                         {"interval_s", nullptr},
                                         {"machines_interval_s", nullptr},
                                         {"influences", Json::array()}});
    return json;
  }

  Json verdict(std::size_t contest, const DrawnVerdict& verdict) const {
    const auto& one = *report_.contests()[contest];
    auto json = names_of(one.contenders[0].group);
    json.erase(std::string(key_of(comparison_.spec().subject())));
    json["verdict"] = one.verdict;
    json["holds_on"] = verdict.holds_on;
    json["otherwise"] = Json::array();
    for (const auto& [text, count] : verdict.otherwise) json["otherwise"].push_back({{"says", text}, {"draws", count}});
    return json;
  }

  Json gain(const DrawnGain& gain) const {
    const auto& contenders = report_.contests()[gain.contest]->contenders;
    auto json = names_of(contenders[gain.one].group);
    json["other"] = contenders[gain.other].name;
    json["median"] = gain.ratio.median;
    json["interval"] = {gain.predicted.interval.low, gain.predicted.interval.high};
    json["machines_interval"] = {gain.ratio.interval.low, gain.ratio.interval.high};
    json["faster_share"] = gain.predicted.above_one;
    json["faster_on"] = gain.faster_on;
    json["draws"] = gain.draws;
    return json;
  }

  /// The rows of a draw, each with the values that were drawn.
  void add_rows(Json& all, std::size_t draw) const {
    const auto& rows = draws_[draw].rows;
    auto table = rows_json(comparison_, rows);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      table[r]["draw"] = draw;
      table[r]["values"] = values_json(comparison_.draws()[rows[r].run.platform], draw);
      all.push_back(std::move(table[r]));
    }
  }

  const Comparison& comparison_;
  const Report& report_;
  const Opinions& draws_;
  Names names_;
};

}  // namespace

Uncertainty uncertainty_of(const Compared& compared) {
  const auto& [comparison, rows, report, opinions, draws] = compared;
  TOROID_ASSERT(!draws.empty() && draws.size() == comparison.spec().draws);
  Uncertainty said;
  said.deviation = comparison.spec().engine.thing().deviation;
  for (std::size_t g = 0; g < report.groups.size(); ++g) said.times.push_back(times_of(g, draws));
  const auto contests = report.contests();
  for (std::size_t c = 0; c < contests.size(); ++c) {
    said.verdicts.push_back(verdict_of(*contests[c], c, draws));
    add_gains(*contests[c], c, comparison.spec().subject(), draws, said);
  }
  return said;
}

Json uncertainty_json(const Compared& compared) {
  return Writer(compared).json(uncertainty_of(compared));
}

}  // namespace toroid::study
