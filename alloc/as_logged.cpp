#include <algorithm>

#include "alloc/allocators.hpp"
#include "platforms/node_names.hpp"

namespace toroid::alloc {
namespace {

/// The nodes that a job had in its log, by their names or numbers, or none while one of them is taken.
class AsLogged final : public LocalAllocator {
 public:
  using LocalAllocator::LocalAllocator;

  bool fits(const Request& request) const override {
    if (request.logged.empty()) return refuse("The log does not say which nodes the job had");
    try {
      const auto nodes = logged(request);
      const bool compute =
          std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) { return machine().computes(node); });
      if (!compute) return refuse("Some of the nodes that the job had do not compute");
      if (nodes.size() == static_cast<std::size_t>(request.nodes)) return true;
      return refuse(fmt::format("The log names {} nodes, expected {}", nodes.size(), request.nodes));
    } catch (const core::InputError& error) {
      return refuse(error.what());
    }
  }
  bool counting_suffices() const override { return false; }
  std::string_view refusal() const override { return refusal_; }

 private:
  std::optional<Allocation> find(const Request& request) override {
    if (!fits(request)) return std::nullopt;
    auto nodes = logged(request);
    const bool are_free = std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) { return free().is_free(node); });
    if (are_free) return nodes;
    refuse("Nodes that the job had in its log are not free");
    return std::nullopt;
  }

  /// Throws InputError when the machine does not have the nodes, or the list has one of them twice.
  Allocation logged(const Request& request) const {
    Allocation nodes;
    for (const auto part : platforms::split_host_list(request.logged)) {
      const auto ranges = platforms::nodes_called(machine().description(), part);
      if (!ranges) core::fail_input("The machine has no nodes {}", part);
      for (const auto& [first, last] : *ranges) {
        if (last.value() >= machine().node_count()) core::fail_input("The machine has no node {}", last);
        for (NodeId node = first; node <= last; ++node) nodes.push_back(node);
      }
    }
    auto sorted = nodes;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      core::fail_input("The log names a node twice: {}", request.logged);
    return nodes;
  }

  bool refuse(std::string reason) const {
    refusal_ = std::move(reason);
    return false;
  }

  mutable std::string refusal_;
};

}  // namespace

core::Entry<MakeAllocator> as_logged_allocator() {
  return {"as-logged", "the nodes that the job had in its log, or none", make<AsLogged>};
}

}  // namespace toroid::alloc
