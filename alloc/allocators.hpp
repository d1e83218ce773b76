#pragma once
// What the allocators have in common, one file each; the table of them is in allocators.cpp.

#include <functional>
#include <memory>

#include "alloc/allocator.hpp"

namespace toroid::alloc {

/// Makes an allocator of class A, for its entry.
template <class A>
std::unique_ptr<Allocator> make(const Site& site, const core::Arguments& arguments) {
  if constexpr (std::is_constructible_v<A, const Site&, const core::Arguments&>)
    return std::make_unique<A>(site, arguments);
  else
    return std::make_unique<A>(site);
}

/// Makes an allocator that answers at once.
using MakeLocal = std::function<std::unique_ptr<LocalAllocator>(const Site&)>;

/// The type of keys whose value is another allocator: SPEC or (SPEC).
core::Type<MakeLocal> allocator_in_parentheses();

}  // namespace toroid::alloc
