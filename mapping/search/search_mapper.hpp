#pragma once
// What the mappers that search for the least quadratic cost have in common.

#include <optional>

#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"
#include "mapping/mapper.hpp"

namespace toroid::mapping {

/// The key `cost`: the distance that the cost is made of.
extern const core::Parameter<Distance> cost_parameter;

/// The key `base`: the mapper to start from.
core::Parameter<std::shared_ptr<const Mapper>> base_parameter(const std::string& fallback);

/// A mapper with the keys cost_parameter and seed_parameter.
class SearchMapper : public Mapper {
 public:
  /// `start_mapper`: what makes the mapping to start from; null if none does.
  explicit SearchMapper(const core::Arguments& arguments, std::shared_ptr<const Mapper> start_mapper = nullptr);

  bool uses_seed() const override { return !seed_; }
  std::string file() const override { return start_mapper_ ? start_mapper_->file() : std::string{}; }
  Mapping map(const MappingProblem& problem) const final;
  void check(const MappingProblem& problem) const final {
    if (start_mapper_) start_mapper_->check(problem);
  }

 protected:
  /// Searches from `start`, a permutation of the slots, which is empty where no mapper makes one.
  virtual Assignment search(const QuadraticCost& cost, core::Random& random, Assignment start) const = 0;

  const Mapper* start_mapper() const { return start_mapper_.get(); }

 private:
  std::string name_;
  Distance distance_;
  std::optional<std::uint64_t> seed_;
  std::shared_ptr<const Mapper> start_mapper_;
};

}  // namespace toroid::mapping
