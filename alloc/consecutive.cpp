#include "alloc/allocators.hpp"

namespace toroid::alloc {
namespace {

/// The free nodes with the lowest numbers, whatever lies between them.
class Consecutive final : public LocalAllocator {
 public:
  using LocalAllocator::LocalAllocator;

 private:
  std::optional<Allocation> find(const Request& request) override { return free().lowest(request.nodes); }
};

}  // namespace

core::Entry<MakeAllocator> consecutive_allocator() {
  return {"consecutive", "the free nodes with the lowest numbers", make<Consecutive>};
}

}  // namespace toroid::alloc
