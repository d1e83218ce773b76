#include "study/uncertainty.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "study/verdict.hpp"

namespace toroid::study {
namespace {

using core::Json;

/// What describes runs of a group, or a contest, on the drawn machines.
class Drawn {
 public:
  Drawn(const Comparison& comparison, const Report& report, const std::vector<Opinion>& draws)
      : comparison_(comparison), report_(report), draws_(draws), names_(comparison.spec().names()) {}

  Json json() const {
    auto json = drawn_json(draws_.size());
    json["intervals"] = intervals();
    for (const char* list : {"times", "verdicts", "gains", "rows"}) json[list] = Json::array();
    for (std::size_t g = 0; g < report_.groups.size(); ++g) json["times"].push_back(times(g));
    const auto contests = report_.contests();
    for (std::size_t c = 0; c < contests.size(); ++c) {
      json["verdicts"].push_back(verdict(c));
      for (auto& gain : gains(c)) json["gains"].push_back(std::move(gain));
    }
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

  Json names_of(std::size_t group) const { return names_json(names_, report_.groups[group].first()); }

  Json times(std::size_t group) const {
    DrawnTimes times;
    for (const auto& draw : draws_) {
      const auto& of_draw = draw.report.groups[group].times;
      times.push_back(of_draw.empty() ? std::nullopt : std::optional(mean(of_draw)));
    }
    auto json = names_of(group);
    const auto spread = spread_json(comparison_.draws()[report_.groups[group].platform], times);
    json.update(spread.is_null() ? Json{{"median_s", nullptr}, {"interval_s", nullptr}, {"influences", Json::array()}}
                                 : spread);
    return json;
  }

  /// On how many machines the verdict of a contest holds, and what is said of the others, the most frequent first.
  Json verdict(std::size_t contest) const {
    const auto& one = *report_.contests()[contest];
    std::map<std::string, std::size_t> said;
    std::size_t held = 0;
    for (const auto& draw : draws_) {
      const auto text = holds(one, *draw.report.contests()[contest]);
      stands(text) ? ++held : ++said[text];
    }
    std::vector<std::pair<std::string, std::size_t>> others(said.begin(), said.end());
    std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    auto json = names_of(one.contenders[0].group);
    json.erase(std::string(name_of(comparison_.spec().subject())));
    json["verdict"] = one.verdict;
    json["holds_on"] = held;
    json["otherwise"] = Json::array();
    for (const auto& [text, count] : others) json["otherwise"].push_back({{"says", text}, {"draws", count}});
    return json;
  }

  /// The ratios of mean times on each machine, `other` over `one`.
  Sample ratios(std::size_t contest, std::size_t one, std::size_t other) const {
    Sample all;
    for (const auto& draw : draws_) {
      const auto& contenders = draw.report.contests()[contest]->contenders;
      const auto &a = contenders[one].times, &b = contenders[other].times;
      if (!a.empty() && !b.empty() && mean(a) > 0) all.push_back(mean(b) / mean(a));
    }
    return all;
  }

  std::vector<Json> gains(std::size_t contest) const {
    std::vector<Json> all;
    const auto& of = *report_.contests()[contest];
    if (!of.lowest_mean) return all;
    for (std::size_t i = 0; i < of.contenders.size(); ++i) {
      const auto pivot = of.baseline.value_or(*of.lowest_mean);
      if (i == pivot) continue;
      const auto one = of.baseline ? i : pivot, other = of.baseline ? pivot : i;
      const auto found = ratios(contest, one, other);
      if (found.empty()) continue;
      const auto spread = spread_of(found);
      auto json = names_of(of.contenders[one].group);
      json["other"] = of.contenders[other].name;
      json["median"] = spread.median;
      json["interval"] = {spread.interval.low, spread.interval.high};
      json["faster_on"] =
          std::count_if(found.begin(), found.end(), [](double r) { return r > 1 && !nearly_equal(r, 1); });
      json["draws"] = found.size();
      all.push_back(std::move(json));
    }
    return all;
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
  const std::vector<Opinion>& draws_;
  Names names_;
};

}  // namespace

void add_uncertainty(Json& json, const Comparison& comparison, const Report& report,
                     const std::vector<Opinion>& draws) {
  if (!draws.empty()) json["uncertainty"] = Drawn(comparison, report, draws).json();
}

}  // namespace toroid::study
