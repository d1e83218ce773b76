#include "mapping/outside_mapper.hpp"

#include <utility>

#include "core/blame.hpp"
#include "core/error.hpp"

namespace toroid::mapping {
namespace {

class CheckedMapper final : public Mapper {
 public:
  CheckedMapper(std::string name, std::unique_ptr<Mapper> mapper, std::unique_ptr<Mapper> twin)
      : name_(std::move(name)), mapper_(std::move(mapper)), twin_(std::move(twin)) {}

  Mapping map(const MappingProblem& problem) const override {
    const auto who = fmt::format("mapper '{}'", name_);
    return core::blamed(who, [&] {
      auto mapping = mapper_->map(problem);
      check_mapping(mapping, problem, who);
      if (twin_ != nullptr) compare(mapping, problem);
      return mapping;
    });
  }
  void check(const MappingProblem& problem) const override { mapper_->check(problem); }
  bool uses_seed() const override { return mapper_->uses_seed(); }
  bool uses_traffic() const override { return mapper_->uses_traffic(); }
  std::string file() const override { return mapper_->file(); }

 private:
  void compare(const Mapping& mapping, MappingProblem problem) const {
    problem.notes = nullptr;  // told once
    if (twin_->map(problem) != mapping)
      core::fail_input("mapper '{}': made two different mappings of one problem, expected the same", name_);
  }

  std::string name_;
  std::unique_ptr<Mapper> mapper_, twin_;
};

}  // namespace

std::unique_ptr<Mapper> checked_mapper(std::string name, std::unique_ptr<Mapper> mapper, std::unique_ptr<Mapper> twin) {
  if (mapper == nullptr) core::fail_input("mapper '{}': found none, expected one to be made", name);
  return std::make_unique<CheckedMapper>(std::move(name), std::move(mapper), std::move(twin));
}

}  // namespace toroid::mapping
