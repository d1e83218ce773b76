#pragma once
// What the JSON of all studies has alike: lists, confidence intervals, differences, fields of metrics.

#include "toroid/study/design.hpp"
#include "toroid/study/report.hpp"

namespace toroid::study {

using core::Object;

// The factors of comparisons of mappings, as fields of their objects.
inline constexpr FactorField machine_field{Factor::platform, "the machine, as it was given"},
    program_field{Factor::trace, "the program"}, allocator_field{Factor::alloc, "only with --alloc: the allocator"},
    collectives_field{Factor::collectives, "only of several --collectives: the algorithms"},
    mapper_field{Factor::map, "the mapper"};
/// What tells runs, or groups of them, apart: the object "names".
inline constexpr std::initializer_list<FactorField> run_fields{machine_field, program_field, collectives_field,
                                                               allocator_field, mapper_field};
inline constexpr std::string_view names_type = "fields of names";

/// The fields of objects that are made of a T: the names of these factors, which an object of that type tells, then
/// `more`.
template <class T>
std::vector<core::Field<T>> after_names_of(std::string_view type, std::initializer_list<FactorField> factors,
                                           std::vector<core::Field<T>> more) {
  more.insert(more.begin(), core::Field<T>{"...", type, "of the run", Object<T>(type, after_names<T>(factors, {}))});
  return more;
}

/// An object that tells the names of these factors.
inline core::ObjectText names_text(std::string_view object, std::initializer_list<FactorField> factors) {
  core::ObjectText text{object, {}};
  for (const auto& factor : factors) text.fields.push_back({factor.key(), "text", factor.meaning});
  return text;
}

/// An array of what `make` makes of each.
template <class List, class Make>
core::Json array_of(const List& list, Make make) {
  auto all = core::Json::array();
  for (const auto& one : list) all.push_back(make(one));
  return all;
}

/// An array of what `make` makes of each number below `count`.
template <class Make>
core::Json array_of(std::size_t count, Make make) {
  return array_of(std::views::iota(std::size_t{0}, count), make);
}

/// [low, high].
inline core::Json interval_json(const Interval& interval) {
  return {interval.low, interval.high};
}
/// [low, high], or null.
inline core::Json interval_json(const std::optional<Interval>& interval) {
  return interval ? interval_json(*interval) : core::Json();
}

/// A figure of a difference; null where nothing was tested.
inline core::Json if_tested(const Difference& difference, core::Json figure) {
  return difference.test.empty() ? core::Json() : std::move(figure);
}
/// A figure of a difference; null where there are no pairs.
inline core::Json if_paired(const Difference& difference, core::Json figure) {
  return difference.paired_by.empty() ? core::Json() : std::move(figure);
}

/// The types of fields that tell these metrics, or null where there are none.
template <class Metrics>
std::vector<std::string> types_or_null(const Metrics& metrics) {
  std::vector<std::string> types;
  for (const auto& metric : metrics) types.push_back(std::string(metric.type) + " or null");
  return types;
}

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
core::Json by_proxy(const Object<Told>& object, const std::vector<Found>& found) {
  return array_of(found.size(), [&](std::size_t p) { return object({found[p], netsim::proxies()[p].name}); });
}

// The contests of a report (contest_json.cpp): of the mappers of all cases, or of what is judged with one mapper.

core::Json cases_json(const ToldReport& told);
core::Json allocators_json(const ToldReport& told);
core::Json collectives_json(const ToldReport& told);
core::Json machines_json(const ToldReport& told);
core::Json programs_json(const ToldReport& told);
std::vector<core::ObjectText> contest_objects();

}  // namespace toroid::study
