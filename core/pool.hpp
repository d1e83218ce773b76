#pragma once
// Objects that come and go all the time, named by small numbers: what one leaves serves the next.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/huge_pages.hpp"
#include "toroid/core/assert.hpp"

namespace toroid::core {

/// A pool of objects. References to them hold until the next add().
template <class T>
class Pool {
 public:
  using Id = std::uint32_t;

  Id add(T object) {
    const Id id = place(std::move(object));
    if constexpr (heavy_assertions) {
      present_.resize(slots_.size());
      present_[id] = true;
    }
    return id;
  }
  void remove(Id id) {
    TOROID_ASSERT_HEAVY(has(id));
    if constexpr (heavy_assertions) present_[id] = false;
    free_.push_back(id);
  }
  /// How many are present.
  std::size_t size() const { return slots_.size() - free_.size(); }

  T& operator[](Id id) {
    TOROID_ASSERT_HEAVY(has(id));
    return slots_[id];
  }
  const T& operator[](Id id) const {
    TOROID_ASSERT_HEAVY(has(id));
    return slots_[id];
  }

  /// All present objects, and removed ones as they were last.
  const LargeVector<T>& slots() const { return slots_; }
  LargeVector<T>& slots() { return slots_; }

 private:
  bool has(Id id) const { return id < present_.size() && present_[id]; }

  Id place(T object) {
    if (free_.empty()) {
      slots_.push_back(std::move(object));
      return static_cast<Id>(slots_.size() - 1);
    }
    const Id id = free_.back();
    free_.pop_back();
    slots_[id] = std::move(object);
    return id;
  }

  LargeVector<T> slots_;
  std::vector<Id> free_;
  std::vector<bool> present_;  ///< whether each id is present; kept for the assertions alone
};

}  // namespace toroid::core
