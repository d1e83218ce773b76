#pragma once
// What Slurm's topology plug-ins have in common: node weights, segments, and what they say when they have no nodes.

#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc::slurm {

// Answers, in Slurm's words.
constexpr std::string_view not_available = "Requested topology configuration is not available";
constexpr std::string_view no_unit = "No suitable topology unit found";
constexpr std::string_view no_unit_for_segment = "No suitable topology unit found for segment";

extern const core::OptionalParameter<std::int32_t> segment_parameter;
extern const core::Parameter<std::string> weights_parameter;

using Weights = core::IdVector<NodeId, std::int64_t>;

/// The weights of the nodes, 1 unless the arguments say otherwise. Throws InputError.
Weights weights_of(const Machine& machine, const core::Arguments& arguments);

/// The nodes of one segment of a job; all of them if it has none, as a segment larger than the job does not count.
inline std::int32_t segment_of(std::int32_t nodes, std::optional<std::int32_t> segment) {
  return std::min(nodes, segment.value_or(nodes));
}

/// Nodes, or why there are none.
struct Answer {
  std::optional<Allocation> nodes = {};
  std::string_view refusal = {};
};

/// An allocator that answers as `Choice` does, which chooses among the nodes of a FreeNodes by its
/// `Answer choose(nodes)`.
template <class Choice>
class SlurmAllocator final : public LocalAllocator, FreeView {
 public:
  SlurmAllocator(const Site& site, const core::Arguments& arguments)
      : LocalAllocator(site),
        FreeView(site.free),
        free_(site.machine()),
        all_(site.machine()),
        choice_(free_, arguments),
        at_first_(all_, arguments) {
    for (const NodeId node : machine().compute_nodes())
      if (!free().is_free(node)) free_.take({&node, 1});
  }

  bool fits(const Request& request) const override {
    const auto answer =
        LocalAllocator::fits(request) ? at_first_.choose(request.nodes) : Answer{std::nullopt, not_available};
    if (!answer.nodes) refusal_ = answer.refusal;
    return answer.nodes.has_value();
  }
  bool counting_suffices() const override { return false; }
  std::string_view refusal() const override { return refusal_; }

 private:
  std::optional<Allocation> find(const Request& request) override {
    auto answer = choice_.choose(request.nodes);
    refusal_ = answer.refusal;
    return std::move(answer.nodes);
  }
  void taken(std::span<const NodeId> nodes) override { free_.take(nodes); }
  void given_back(std::span<const NodeId> nodes) override { free_.give_back(nodes); }

  FreeNodes free_;  ///< what is free, of which a choice may try what it likes
  FreeNodes all_;   ///< if nothing is taken
  Choice choice_;
  mutable Choice at_first_;
  mutable std::string_view refusal_ = {};
};

}  // namespace toroid::alloc::slurm
