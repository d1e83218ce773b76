#include "alloc/allocators.hpp"

// The allocators, a line each, in the order of `toroid list allocators`: the function that returns the entry.
// clang-format off
#define ALLOCATORS(line)      \
  line(consecutive_allocator) \
  line(random_allocator)      \
  line(leak_allocator)
// clang-format on

namespace toroid::alloc {

#define DECLARE(entry) core::Entry<MakeAllocator> entry();
ALLOCATORS(DECLARE)

const core::Registry<MakeAllocator>& allocators() {
#define CALL(entry) entry(),
  static const core::Registry<MakeAllocator> registry("allocator", {ALLOCATORS(CALL)});
  return registry;
}

std::unique_ptr<Allocator> make_allocator(const std::string& text, const Site& site) {
  return allocators().make(text, site);
}

}  // namespace toroid::alloc
