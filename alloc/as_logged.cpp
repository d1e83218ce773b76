#include <algorithm>

#include "alloc/allocators.hpp"

namespace toroid::alloc {
namespace {

/// The nodes that a job had in its log, or none while one of them is taken.
class AsLogged final : public LocalAllocator {
 public:
  using LocalAllocator::LocalAllocator;

  bool fits(const Request& request) const override {
    return request.logged.size() == static_cast<std::size_t>(request.nodes);
  }
  bool counting_suffices() const override { return false; }
  bool uses_logged_nodes() const override { return true; }
  std::string_view refusal() const override { return "Nodes that the job had in its log are not free"; }

 private:
  std::optional<Allocation> find(const Request& request) override {
    const auto& nodes = request.logged;
    const bool are_free = std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) { return free().is_free(node); });
    if (!fits(request) || !are_free) return std::nullopt;
    return Allocation(nodes.begin(), nodes.end());
  }
};

}  // namespace

core::Entry<MakeAllocator> as_logged_allocator() {
  return {"as-logged", "the nodes that the job had in its log, or none", make<AsLogged>};
}

}  // namespace toroid::alloc
