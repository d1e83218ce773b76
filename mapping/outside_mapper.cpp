#include "mapping/outside_mapper.hpp"

#include <utility>

#include "core/error.hpp"

namespace toroid::mapping {
namespace {

class CheckedMapper final : public Mapper {
 public:
  CheckedMapper(std::string name, std::unique_ptr<Mapper> mapper)
      : name_(std::move(name)), mapper_(std::move(mapper)) {}

  Mapping map(const MappingProblem& problem) const override {
    auto mapping = mapper_->map(problem);
    check_mapping(mapping, problem, fmt::format("mapper '{}'", name_));
    return mapping;
  }
  void check(const MappingProblem& problem) const override { mapper_->check(problem); }
  bool uses_seed() const override { return mapper_->uses_seed(); }
  bool uses_traffic() const override { return mapper_->uses_traffic(); }
  std::string file() const override { return mapper_->file(); }

 private:
  std::string name_;
  std::unique_ptr<Mapper> mapper_;
};

}  // namespace

std::unique_ptr<Mapper> checked_mapper(std::string name, std::unique_ptr<Mapper> mapper) {
  if (mapper == nullptr) core::fail_input("mapper '{}': found none, expected one to be made", name);
  return std::make_unique<CheckedMapper>(std::move(name), std::move(mapper));
}

}  // namespace toroid::mapping
