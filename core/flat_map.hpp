#pragma once
// A hash map without a node per entry: what comes and goes all the time costs no allocation.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/huge_pages.hpp"
#include "toroid/core/assert.hpp"

namespace toroid::core {

/// A hash map with open addressing and linear probing. The size of the table is a power of two; it is at most half full
/// and never shrinks. `Hash` must return 64 bits of which the low ones are well mixed, as these choose the slot.
/// Pointers into the map hold until the next insertion or removal.
template <class Key, class Value, class Hash>
class FlatMap {
 public:
  std::size_t size() const { return size_; }

  /// The value of the key, or null.
  Value* find(const Key& key) {
    if (size_ == 0) return nullptr;
    auto& slot = slots_[slot_of(key)];
    return slot.used ? &slot.value : nullptr;
  }
  const Value* find(const Key& key) const { return const_cast<FlatMap*>(this)->find(key); }

  /// Calls visit(key, value) for all entries, in an order that says nothing.
  template <class Visit>
  void for_each(Visit visit) {
    if (size_ == 0) return;
    for (auto& slot : slots_)
      if (slot.used) visit(std::as_const(slot.key), slot.value);
  }

  /// Inserts `value` unless the key has a value already. Returns the key's value, and whether it was inserted.
  std::pair<Value*, bool> try_emplace(const Key& key, const Value& value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    auto& slot = slots_[slot_of(key)];
    const bool is_new = !slot.used;
    if (is_new) slot = {key, value, true};
    size_ += is_new ? 1 : 0;
    TOROID_ASSERT_HEAVY(2 * size_ <= slots_.size());  // so that each search ends at a free slot
    return {&slot.value, is_new};
  }

  /// Removes the key, if it is there. Later entries of its run move up, so that no search ends too early.
  void erase(const Key& key) {
    if (size_ == 0) return;
    auto hole = slot_of(key);
    if (!slots_[hole].used) return;
    TOROID_ASSERT_HEAVY(size_ > 0);
    --size_;
    for (auto at = next(hole); slots_[at].used; at = next(at)) {
      const auto home = home_of(slots_[at].key);
      const bool reaches_hole = ((at - home) & mask()) >= ((at - hole) & mask());
      if (!reaches_hole) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].used = false;
  }

 private:
  struct Slot {
    Key key;
    Value value;
    bool used = false;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  std::size_t home_of(const Key& key) const { return static_cast<std::size_t>(Hash{}(key)) & mask(); }
  /// Where the key is, or the free slot where it would be.
  std::size_t slot_of(const Key& key) const {
    auto at = home_of(key);
    while (slots_[at].used && !(slots_[at].key == key)) at = next(at);
    return at;
  }
  void grow() {
    auto old = std::exchange(slots_, LargeVector<Slot>(slots_.empty() ? 8 : 2 * slots_.size()));
    for (const auto& slot : old)
      if (slot.used) slots_[slot_of(slot.key)] = slot;
  }

  LargeVector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace toroid::core
