#pragma once
// What the mappers that search for the least quadratic cost have in common.

#include <optional>

#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"
#include "mapping/mapper.hpp"

namespace toroid::mapping {

/// Each rank on a slot of its node, the first that is free; then the silent ranks. The mapping must fit the slots.
Assignment assignment_of(const Mapping& mapping, const std::vector<NodeId>& slots);

/// The nodes of the first `ranks` ranks.
Mapping mapping_of(const Assignment& assignment, const std::vector<NodeId>& slots, std::int32_t ranks);

/// The mapping that another mapper starts from, checked.
Mapping base_mapping(const Mapper& base, const MappingProblem& problem);

/// Reads the keys `cost`, a distance (classic), `seed`, and `base`, the mapper to start from: SPEC, (SPEC) or a mapping
/// file.
class SearchMapper : public Mapper {
 public:
  /// `default_base` names the mapper to start from if the spec has no `base`; none if empty. Throws InputError.
  explicit SearchMapper(const core::Spec& spec, const std::string& default_base = {});

  bool uses_seed() const override { return !seed_; }
  std::string file() const override { return base_ ? base_->file() : std::string{}; }
  Mapping map(const MappingProblem& problem) const final;
  void check(const MappingProblem& problem) const final {
    if (base_) base_->check(problem);
  }

 protected:
  /// From `start`, a permutation of the slots, or empty where there is no base.
  virtual Assignment search(const QuadraticCost& cost, core::Random& random, Assignment start) const = 0;

  const Mapper* base() const { return base_.get(); }

 private:
  std::string name_;
  Distance distance_;
  std::optional<std::uint64_t> seed_;
  std::unique_ptr<Mapper> base_;
};

/// The mapper that the key `base` names, or `fallback`; none if that is empty. Throws InputError.
std::unique_ptr<Mapper> base_parameter(const core::Spec& spec, const std::string& fallback);

}  // namespace toroid::mapping
