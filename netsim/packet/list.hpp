#pragma once
// A list that is filled and emptied all the time: what is added costs no call.

#include <cstddef>
#include <vector>

namespace toroid::netsim::packet {

/// A list that keeps its memory when it is cleared. Elements may be added during a loop over it by index.
template <class T>
class List {
 public:
  void add(const T& element) {
    if (size_ == elements_.size()) grow();
    elements_[size_++] = element;
  }
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  [[gnu::noinline]] void grow() { elements_.resize(2 * size_ + 16); }

  std::vector<T> elements_;
  std::size_t size_ = 0;
};

}  // namespace toroid::netsim::packet
