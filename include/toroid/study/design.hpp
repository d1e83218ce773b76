#pragma once
// The design of a study: the factors that its runs differ in, such as machines and mappers, and its runs by their
// levels.

#include <compare>
#include <iterator>
#include <map>

#include "toroid/core/fields.hpp"

namespace toroid::study {

/// What runs differ in. The last factor changes first from run to run.
enum class Factor : std::uint8_t { platform, trace, workload, scheduler, collectives, alloc, map, events };
std::string_view key_of(Factor factor);     ///< in results: `platform`, `trace`, `workload`, `scheduler`, ...
std::string_view plural_of(Factor factor);  ///< in words: `machines`, `programs`, `job logs`, `mappers`

/// One run, by the positions of what it is made of in the lists of its study; 0 where the study has no such factor.
struct Run {
  std::size_t platform = 0, trace = 0, workload = 0, scheduler = 0, collectives = 0, alloc = 0, map = 0, events = 0;
  std::size_t repetition = 0;

  std::size_t at(Factor factor) const;
  auto operator<=>(const Run&) const = default;
};

/// The run with the first level of these factors, and its first repetition: what it has in common with all runs that
/// differ from it in nothing else.
Run without(std::initializer_list<Factor> factors, Run run);

/// The names of all levels, by factor; a factor that the study has not has none.
struct Names {
  std::vector<std::string> platforms = {}, traces = {}, maps = {}, allocs = {}, workloads = {}, schedulers = {},
                           collectives = {}, events = {};

  const std::vector<std::string>& of(Factor factor) const;
  /// Throws InputError where a factor has a name twice.
  void check_distinct() const;
  /// These names, as labels for people; those of `names` where a factor has none.
  Names or_else(const Names& names) const;
  /// These names, but for those of a factor.
  Names without(Factor factor) const;
  /// A run of each combination of levels.
  std::vector<Run> combinations() const;
};

/// The name of each factor that the study has, by key_of(): what a run, or several alike, are known by.
core::Json names_json(const Names& names, const Run& run);

/// A factor as the field of an object on a run, or on several alike.
struct FactorField {
  Factor factor;
  std::string_view meaning;

  std::string_view key() const { return key_of(factor); }
};
/// The fields of objects that are made of a T: the names of these factors, but for those that the study has not, then
/// `more`. A T knows the `names()` of its study and its `run()`.
template <class T>
std::vector<core::Field<T>> after_names(std::initializer_list<FactorField> factors, std::vector<core::Field<T>> more) {
  std::vector<core::Field<T>> fields;
  for (const auto& [factor, meaning] : factors)
    fields.push_back({key_of(factor), "text", meaning, [factor = factor](const T& of) {
                        const auto& names = of.names().of(factor);
                        return names.empty() ? core::absent() : core::Json(names.at(of.run().at(factor)));
                      }});
  std::ranges::move(more, std::back_inserter(fields));
  return fields;
}

/// The numbers of the groups (things with a Run `run`) in lists: groups of a list differ in these factors alone. Lists
/// are in the order of their first groups.
template <class Group>
std::vector<std::vector<std::size_t>> beside_each_other(const std::vector<Group>& groups,
                                                        std::initializer_list<Factor> factors) {
  std::vector<std::vector<std::size_t>> lists;
  std::map<Run, std::size_t> list_of;  // by what its groups have in common
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto [list, is_new] = list_of.try_emplace(without(factors, groups[i].run), lists.size());
    (is_new ? lists.emplace_back() : lists[list->second]).push_back(i);
  }
  return lists;
}

}  // namespace toroid::study
