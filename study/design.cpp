#include "toroid/study/design.hpp"

#include <set>

namespace toroid::study {
namespace {

struct FactorEntry {
  Factor factor;
  std::string_view key, plural;
  std::size_t Run::*level;
  std::vector<std::string> Names::*names;
};

constexpr std::array factor_entries{
    FactorEntry{Factor::platform, "platform", "machines", &Run::platform, &Names::platforms},
    FactorEntry{Factor::trace, "trace", "programs", &Run::trace, &Names::traces},
    FactorEntry{Factor::workload, "workload", "job logs", &Run::workload, &Names::workloads},
    FactorEntry{Factor::scheduler, "scheduler", "schedulers", &Run::scheduler, &Names::schedulers},
    FactorEntry{Factor::collectives, "collectives", "algorithms of collectives", &Run::collectives,
                &Names::collectives},
    FactorEntry{Factor::alloc, "alloc", "allocators", &Run::alloc, &Names::allocs},
    FactorEntry{Factor::map, "map", "mappers", &Run::map, &Names::maps},
    FactorEntry{Factor::events, "events", "events", &Run::events, &Names::events}};

const FactorEntry& entry_of(Factor factor) {
  const auto& entry = factor_entries.at(static_cast<std::size_t>(factor));
  TOROID_ASSERT(entry.factor == factor);
  return entry;
}

}  // namespace

std::string_view key_of(Factor factor) {
  return entry_of(factor).key;
}

std::string_view plural_of(Factor factor) {
  return entry_of(factor).plural;
}

std::size_t Run::at(Factor factor) const {
  return this->*entry_of(factor).level;
}

Run without(std::initializer_list<Factor> factors, Run run) {
  for (const auto factor : factors) run.*entry_of(factor).level = 0;
  run.repetition = 0;
  return run;
}

const std::vector<std::string>& Names::of(Factor factor) const {
  return this->*entry_of(factor).names;
}

void Names::check_distinct() const {
  for (const auto& entry : factor_entries) {
    std::set<std::string> seen;
    for (const auto& name : this->*entry.names)
      if (!seen.insert(name).second) core::fail_input("'{}' is given twice", name);
  }
}

Names Names::or_else(const Names& names) const {
  auto labels = *this;
  for (const auto& entry : factor_entries) {
    auto& list = labels.*entry.names;
    if (list.empty()) list = names.*entry.names;
    TOROID_ASSERT((names.*entry.names).empty() || list.size() == (names.*entry.names).size());
  }
  return labels;
}

Names Names::without(Factor factor) const {
  auto names = *this;
  (names.*entry_of(factor).names).clear();
  return names;
}

std::vector<Run> Names::combinations() const {
  std::vector<Run> runs{{}};
  for (const auto& entry : factor_entries) {
    const auto levels = std::max<std::size_t>(1, (this->*entry.names).size());
    std::vector<Run> more;
    for (auto run : runs)
      for (run.*entry.level = 0; run.*entry.level < levels; ++(run.*entry.level)) more.push_back(run);
    runs = std::move(more);
  }
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(runs));
  return runs;
}

core::Json names_json(const Names& names, const Run& run) {
  auto json = core::Json::object();
  for (const auto& entry : factor_entries)
    if (const auto& list = names.*entry.names; !list.empty()) json[entry.key] = list.at(run.*entry.level);
  return json;
}

}  // namespace toroid::study
