#pragma once
// A priority queue whose top can be replaced in one go. Four children a node: half as deep as a binary heap, and the
// children share a cache line or two.

#include <cstddef>
#include <vector>

namespace toroid::netsim {

constexpr std::size_t no_child = ~std::size_t{0};

/// The least of the children of a node of such a heap, or no_child. It has no branches, as no processor could predict
/// them.
template <class Entry>
std::size_t least_child(const std::vector<Entry>& heap, std::size_t node) {
  const auto lesser = [&](std::size_t a, std::size_t b) {
    return a + (b - a) * static_cast<std::size_t>(heap[b] < heap[a]);
  };
  const std::size_t first = 4 * node + 1;
  if (first + 4 <= heap.size()) return lesser(lesser(first, first + 1), lesser(first + 2, first + 3));
  if (first >= heap.size()) return no_child;
  std::size_t least = first;
  for (std::size_t child = first + 1; child < heap.size(); ++child) least = lesser(least, child);
  return least;
}

/// A heap with the least entry on top. Which of several equal ones that is depends only on the calls before.
template <class Entry>
class Heap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
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
    for (auto child = least_child(entries_, at); child != no_child && entries_[child] < entry;
         child = least_child(entries_, at)) {
      entries_[at] = entries_[child];
      at = child;
    }
    entries_[at] = entry;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace toroid::netsim
