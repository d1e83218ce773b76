#pragma once
// Memory for arrays that are large and looked at here and there. Where each look is at another page, finding the page
// takes longer than what is done there; in pages of 2 MB, if the system has them, there are few enough to be known.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

namespace toroid::core {

/// An allocator for vectors; what is smaller than such a page begins with a line of the cache.
template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class Other>
  HugePages(const HugePages<Other>&) {}  // NOLINT(google-explicit-constructor): as containers want it

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
    if (bytes >= page) ::madvise(memory, bytes, MADV_HUGEPAGE);  // advice: nothing is lost where it is not taken
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }
  bool operator==(const HugePages&) const = default;

 private:
  static constexpr std::size_t page = std::size_t{2} << 20U, line = 64;

  static constexpr std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes < page ? std::max(alignof(T), line) : page};
  }
};

/// A vector that is looked into here and there.
template <class T>
using LargeVector = std::vector<T, HugePages<T>>;

}  // namespace toroid::core
