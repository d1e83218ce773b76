#pragma once
// Things that are known by numbers: names of studies, definitions of archives, programs of jobs.

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "toroid/core/assert.hpp"

namespace toroid::views {

/// Things, numbered from 0 in the order in which they come first.
template <class Thing, class Number = std::size_t>
class Numbering {
 public:
  /// The number of a thing, and whether it is new.
  std::pair<Number, bool> add(const Thing& thing) {
    const auto [found, is_new] = numbers_.try_emplace(thing, static_cast<Number>(all_.size()));
    if (is_new) all_.push_back(thing);
    TOROID_ASSERT(all_.size() == numbers_.size());
    return {found->second, is_new};
  }
  Number number(const Thing& thing) { return add(thing).first; }
  const std::vector<Thing>& all() const { return all_; }

 private:
  std::map<Thing, Number> numbers_;
  std::vector<Thing> all_;
};

}  // namespace toroid::views
