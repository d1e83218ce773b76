#include <algorithm>

#include "alloc/allocators.hpp"
#include "platforms/called_nodes.hpp"
#include "platforms/node_names.hpp"

namespace toroid::alloc {
namespace {

/// The nodes that a job had in its log, by their names or numbers, or none while one of them is taken.
class AsLogged final : public LocalAllocator {
 public:
  using LocalAllocator::LocalAllocator;

  bool fits(const Request& request) const override { return logged(request).has_value(); }
  bool counting_suffices() const override { return false; }
  std::string_view refusal() const override { return refusal_; }

 private:
  std::optional<Allocation> find(const Request& request) override {
    auto nodes = logged(request);
    if (!nodes) return std::nullopt;
    const bool are_free = std::all_of(nodes->begin(), nodes->end(), [&](NodeId node) { return free().is_free(node); });
    if (are_free) return nodes;
    refusal_ = "Nodes that the job had in its log are not free";
    return std::nullopt;
  }

  /// Nothing, and the refusal says why, where the log does not name as many compute nodes of the machine as the job
  /// wants.
  std::optional<Allocation> logged(const Request& request) const {
    try {
      return parse(request);
    } catch (const core::InputError& error) {
      refusal_ = error.what();
      return std::nullopt;
    }
  }

  Allocation parse(const Request& request) const {
    if (request.logged.empty()) core::fail_input("The log does not say which nodes the job had");
    Allocation nodes;
    for (const auto part : platforms::split_host_list(request.logged)) {
      const auto some = platforms::nodes_called(machine(), names_, part, "The nodes of the job in its log");
      nodes.insert(nodes.end(), some.begin(), some.end());
    }
    if (!std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) { return machine().computes(node); }))
      core::fail_input("Some of the nodes that the job had do not compute");
    if (nodes.size() != static_cast<std::size_t>(request.nodes))
      core::fail_input("The log names {} nodes, expected {}", nodes.size(), request.nodes);
    auto sorted = nodes;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      core::fail_input("The log names a node twice: {}", request.logged);
    return nodes;
  }

  platforms::NodeNames names_{machine().description()};
  mutable std::string refusal_;
};

}  // namespace

core::Entry<MakeAllocator> as_logged_allocator() {
  return {"as-logged", "the nodes that the job had in its log, or none", make<AsLogged>};
}

}  // namespace toroid::alloc
