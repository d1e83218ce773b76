#include "core/blame.hpp"
#include "core/entries.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {

// The mappers, in the order of `toroid list mappers`, each by the function that returns its entry.
TOROID_ENTRIES(core::Entry<MakeMapper>, mapper_entries, auto_mapper, quick_mapper, consecutive_mapper, node_mapper,
               random_mapper, snake_mapper, hilbert_mapper, morton_mapper, grasp_mapper, anneal_mapper, tabu_mapper,
               refine_mapper, minmaxload_mapper, geom_mapper, gsearch_mapper, mj_mapper, multilevel_mapper, rcm_mapper,
               greedy_mapper, greedyallc_mapper, scotch_mapper, jax_mapper, mesh_mapper, tofu_mapper, simulated_mapper,
               file_mapper)

namespace {

class CheckedMapper final : public Mapper {
 public:
  CheckedMapper(std::string name, std::unique_ptr<Mapper> mapper)
      : name_(std::move(name)), mapper_(std::move(mapper)) {}

  Mapping map(const MappingProblem& problem) const override {
    const auto who = fmt::format("mapper '{}'", name_);
    return core::blamed(who, [&] {
      auto mapping = mapper_->map(problem);
      check_mapping(mapping, problem, who);
      return mapping;
    });
  }
  void check(const MappingProblem& problem) const override {
    core::blamed(fmt::format("mapper '{}'", name_), [&] { mapper_->check(problem); });
  }
  bool uses_seed() const override { return mapper_->uses_seed(); }
  bool uses_traffic() const override { return mapper_->uses_traffic(); }
  std::string file() const override { return mapper_->file(); }

 private:
  std::string name_;
  std::unique_ptr<Mapper> mapper_;
};

core::Registry<MakeMapper>& table() {
  static core::Registry<MakeMapper> registry("mapper", mapper_entries(), {"file", "a mapping file"});
  return registry;
}

}  // namespace

const core::Registry<MakeMapper>& mappers() {
  return table();
}

std::unique_ptr<Mapper> checked_mapper(std::string name, std::unique_ptr<Mapper> mapper) {
  if (mapper == nullptr) core::fail_input("mapper '{}': found none, expected one to be made", name);
  return std::make_unique<CheckedMapper>(std::move(name), std::move(mapper));
}

void add_mapper(core::Entry<MakeMapper> entry) {
  entry.make = [make = entry.make, name = std::string(entry.name)](const core::Arguments& arguments) {
    return core::blamed(fmt::format("mapper '{}'", name), [&] { return checked_mapper(name, make(arguments)); });
  };
  table().add(std::move(entry));
}

const core::OptionalParameter<std::uint64_t> seed_parameter{
    "seed", "seed of its random numbers", core::whole(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()),
    "that of the run"};

core::Type<std::shared_ptr<const Mapper>> mapper_in_parentheses() {
  return {"a mapper, in parentheses if it has keys, or a mapping file",
          [](std::string_view text, const core::Place& place) -> std::optional<std::shared_ptr<const Mapper>> {
            return MapperChoice::inside(place.spec, text).make();
          }};
}

}  // namespace toroid::mapping
