#pragma once
// The design of a study: the factors that its runs differ in, such as machines and mappers, and its runs by their
// levels.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"

namespace toroid::study {

/// What runs differ in. The last factor changes first from run to run.
enum class Factor : std::uint8_t { platform, trace, workload, scheduler, alloc, map };
std::string_view key_of(Factor factor);  ///< in results: `platform`, `trace`, `workload`, `scheduler`, `alloc`, `map`
std::string_view plural_of(Factor factor);  ///< in words: `machines`, `programs`, `job logs`, `mappers`

/// One run, by the positions of what it is made of in the lists of its study; 0 where the study has no such factor.
struct Run {
  std::size_t platform = 0, trace = 0, workload = 0, scheduler = 0, alloc = 0, map = 0;
  std::size_t repetition = 0;

  std::size_t at(Factor factor) const;
};

/// Whether two runs have the same levels of all factors but for these, whatever their repetitions.
bool differ_only_in(std::initializer_list<Factor> factors, const Run& one, const Run& other);

/// The names of all levels, by factor; a factor that the study has not has none.
struct Names {
  std::vector<std::string> platforms = {}, traces = {}, maps = {}, allocs = {}, workloads = {}, schedulers = {};

  const std::vector<std::string>& of(Factor factor) const;
  /// Throws InputError where a factor has a name twice.
  void check_distinct() const;
  /// These names, as labels for people; those of `names` where a factor has none.
  Names or_else(const Names& names) const;
  /// A run of each combination of levels.
  std::vector<Run> combinations() const;
};

/// What each object on a run, or on several alike, begins with: the name of each factor that the study has, by
/// key_of().
core::Json names_json(const Names& names, const Run& run);

/// The numbers of the groups (things with a Run `run`) in lists: groups of a list differ in these factors alone. Lists
/// are in the order of their first groups.
template <class Group>
std::vector<std::vector<std::size_t>> beside_each_other(const std::vector<Group>& groups,
                                                        std::initializer_list<Factor> factors) {
  std::vector<std::vector<std::size_t>> lists;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto list = std::find_if(lists.begin(), lists.end(), [&](const auto& numbers) {
      return differ_only_in(factors, groups[numbers.front()].run, groups[i].run);
    });
    (list == lists.end() ? lists.emplace_back() : *list).push_back(i);
  }
  return lists;
}

}  // namespace toroid::study
