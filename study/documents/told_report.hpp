#pragma once
// A report, and what it takes to tell it and its contests.

#include "study/documents/fields.hpp"
#include "toroid/study/report.hpp"

namespace toroid::study {

/// A report beside those of other engines, if there are some.
struct ToldReport {
  ToldReport(const Comparison& of, const Report& by_first, std::span<const Report> by_others)
      : comparison(of), report(by_first), opinions(by_others), contests(report.contests()) {
    for (const auto& opinion : opinions) {
      contests_of_opinions.push_back(opinion.contests());
      TOROID_ASSERT(contests_of_opinions.back().size() == contests.size());
    }
  }

  const ComparisonSpec& spec() const { return comparison.spec(); }

  const Comparison& comparison;
  const Report& report;
  std::span<const Report> opinions;
  Names names = comparison.spec().names();
  std::vector<const Contest*> contests;
  std::vector<std::vector<const Contest*>> contests_of_opinions;
};

/// A list of objects, each made of what is known of a proxy.
template <class Told, class Found>
core::Json by_proxy(const core::Object<Told>& object, const std::vector<Found>& found) {
  auto all = core::Json::array();
  for (std::size_t p = 0; p < found.size(); ++p) all.push_back(object({found[p], netsim::proxies()[p].name}));
  return all;
}

// The contests of a report (contest_json.cpp): of the mappers of all cases, or of what is judged with one mapper.

core::Json cases_json(const ToldReport& told);
core::Json allocators_json(const ToldReport& told);
core::Json collectives_json(const ToldReport& told);
core::Json machines_json(const ToldReport& told);
core::Json programs_json(const ToldReport& told);
std::vector<core::ObjectText> contest_objects();

}  // namespace toroid::study
