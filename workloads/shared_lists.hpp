#pragma once
// Lists of numbers of which equal ones are kept once: an allgatherv has the same counts at every rank and in every
// step.

#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace toroid::workloads {

template <class Number>
class SharedLists {
 public:
  /// Stores a list as long as this object lives, equal lists only once. Returns the stored list.
  std::span<const Number> keep(std::vector<Number> list) {
    if (list.empty()) return {};
    return *lists_.insert(std::move(list)).first;
  }
  std::span<const Number> keep(std::span<const Number> list) { return keep(std::vector(list.begin(), list.end())); }

  std::size_t memory_bytes() const {
    std::size_t sum = 0;
    for (const auto& list : lists_) sum += sizeof list + list.capacity() * sizeof(Number);
    return sum;
  }

 private:
  struct Hash {
    std::size_t operator()(const std::vector<Number>& list) const {
      std::uint64_t hash = list.size();
      for (const auto number : list) {
        hash = (hash ^ number) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32U;
      }
      return hash;
    }
  };

  std::unordered_set<std::vector<Number>, Hash> lists_;
};

}  // namespace toroid::workloads
