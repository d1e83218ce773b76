#pragma once
// A priority queue whose top can be replaced in one go. Four children a node: half as deep as a binary heap, and the
// children share a cache line or two.

#include <cstddef>
#include <vector>

namespace toroid::netsim {

/// The top is an entry that no other is less than; of equals, which one is as determined by the calls before.
template <class Entry>
class Heap {
 public:
  bool empty() const { return entries_.empty(); }
  const Entry& top() const { return entries_.front(); }
  void clear() { entries_.clear(); }

  void push(const Entry& entry) {
    entries_.push_back(entry);
    std::size_t at = entries_.size() - 1;
    for (; at > 0 && entry < entries_[(at - 1) / 4]; at = (at - 1) / 4) entries_[at] = entries_[(at - 1) / 4];
    entries_[at] = entry;
  }

  void pop() {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) replace_top(last);
  }

  void replace_top(const Entry& entry) {
    std::size_t at = 0;
    for (auto child = least_child(at); child != none && entries_[child] < entry; child = least_child(at)) {
      entries_[at] = entries_[child];
      at = child;
    }
    entries_[at] = entry;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  /// Without a branch: nothing could foretell it.
  std::size_t lesser(std::size_t a, std::size_t b) const {
    return a + (b - a) * static_cast<std::size_t>(entries_[b] < entries_[a]);
  }

  std::size_t least_child(std::size_t at) const {
    const std::size_t first = 4 * at + 1, count = entries_.size();
    if (first + 4 <= count) return lesser(lesser(first, first + 1), lesser(first + 2, first + 3));
    if (first >= count) return none;
    std::size_t least = first;
    for (std::size_t child = first + 1; child < count; ++child) least = lesser(least, child);
    return least;
  }

  std::vector<Entry> entries_;
};

}  // namespace toroid::netsim
