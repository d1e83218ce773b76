#pragma once
// Memory for arrays that are large and looked at here and there. Where each look is at another page, finding the page
// takes longer than what is done there; in pages of 2 MB, if the system has them, there are few enough to be known.

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace toroid::core {

/// An allocator for vectors: what is smaller than such a page is allocated as usual.
template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class Other>
  HugePages(const HugePages<Other>&) {}  // NOLINT(google-explicit-constructor): as containers want it

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < page) return std::allocator<T>().allocate(count);
    void* const memory = ::operator new (bytes, std::align_val_t{page});
#ifdef MADV_HUGEPAGE
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // advice: nothing is lost where it is not taken
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < page) return std::allocator<T>().deallocate(memory, count);
    ::operator delete (memory, std::align_val_t{page});
  }
  bool operator==(const HugePages&) const = default;

 private:
  static constexpr std::size_t page = std::size_t{2} << 20U;
};

/// A vector that is looked into here and there.
template <class T>
using LargeVector = std::vector<T, HugePages<T>>;

}  // namespace toroid::core
