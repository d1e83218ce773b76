#include "toroid/alloc/allocator.hpp"

#include <numeric>

namespace toroid::alloc {

FreeView::FreeView(FreeNodes& free) : free_(free) {
  free_.views_.push_back(this);
}

FreeView::~FreeView() {
  std::erase(free_.views_, this);
}

FreeNodes::FreeNodes(const Machine& machine)
    : machine_(machine), is_free_(machine.node_count(), 0), free_on_(machine.grid().size(), 0) {
  for (const NodeId node : machine.compute_nodes()) set_free(node, true);
}

std::vector<NodeId> FreeNodes::lowest(std::int32_t count) const {
  std::vector<NodeId> nodes;
  nodes.reserve(static_cast<std::size_t>(std::min(count, count_)));
  for (const NodeId node : machine_.compute_nodes()) {
    if (nodes.size() == nodes.capacity()) break;
    if (is_free(node)) nodes.push_back(node);
  }
  TOROID_ASSERT(nodes.size() == static_cast<std::size_t>(std::min(count, count_)));
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(nodes));
  return nodes;
}

void FreeNodes::set_free(NodeId node, bool free) {
  is_free_[node] = free ? 1 : 0;
  free_on_[machine_.router(node)] += free ? 1 : -1;
  count_ += free ? 1 : -1;
}

namespace {

/// Whether counting would take much longer than the changes that it checks, as it takes a step for each node.
[[maybe_unused]] bool too_many_to_count(std::size_t nodes, std::size_t changes) {
  constexpr std::size_t always_counted = 10'000;
  return nodes > always_counted && 64 * changes < nodes;
}

}  // namespace

void FreeNodes::take(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    TOROID_ASSERT(is_free(node));
    set_free(node, false);
  }
  TOROID_ASSERT_HEAVY(too_many_to_count(is_free_.size(), nodes.size()) || is_consistent());
  for (auto* view : views_) view->taken(nodes);
}

void FreeNodes::give_back(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    TOROID_ASSERT(machine_.computes(node) && !is_free(node));
    set_free(node, true);
  }
  TOROID_ASSERT_HEAVY(too_many_to_count(is_free_.size(), nodes.size()) || is_consistent());
  for (auto* view : views_) view->given_back(nodes);
}

Supposed::~Supposed() {
  free_.give_back(taken_);
  free_.take(given_back_);
}

void Supposed::given_back(std::span<const NodeId> nodes) {
  free_.give_back(nodes);
  given_back_.insert(given_back_.end(), nodes.begin(), nodes.end());
}

void Supposed::taken(std::span<const NodeId> nodes) {
  const auto before = static_cast<std::ptrdiff_t>(taken_.size());
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(taken_),
               [&](NodeId node) { return free_.is_free(node); });
  free_.take({taken_.begin() + before, taken_.end()});
}

bool FreeNodes::is_consistent() const {
  return count_ == std::ranges::count(is_free_, 1) && count_ == std::accumulate(free_on_.begin(), free_on_.end(), 0) &&
         std::ranges::all_of(free_on_, [](auto n) { return n >= 0; });
}

}  // namespace toroid::alloc
