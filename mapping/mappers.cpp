#include "core/blame.hpp"
#include "mapping/mapper.hpp"

// The mappers, a line each, in the order of `toroid list mappers`: the function that returns the entry.
// clang-format off
#define MAPPERS(line)      \
  line(auto_mapper)        \
  line(quick_mapper)       \
  line(consecutive_mapper) \
  line(node_mapper)        \
  line(random_mapper)      \
  line(snake_mapper)       \
  line(hilbert_mapper)     \
  line(morton_mapper)      \
  line(grasp_mapper)       \
  line(anneal_mapper)      \
  line(tabu_mapper)        \
  line(refine_mapper)      \
  line(minmaxload_mapper)  \
  line(geom_mapper)        \
  line(gsearch_mapper)     \
  line(mj_mapper)          \
  line(multilevel_mapper)  \
  line(rcm_mapper)         \
  line(greedy_mapper)      \
  line(greedyallc_mapper)  \
  line(scotch_mapper)      \
  line(jax_mapper)         \
  line(mesh_mapper)        \
  line(simulated_mapper)   \
  line(file_mapper)
// clang-format on

namespace toroid::mapping {

#define DECLARE(entry) core::Entry<MakeMapper> entry();
MAPPERS(DECLARE)

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

core::Registry<MakeMapper>& table() {
#define CALL(entry) entry(),
  static core::Registry<MakeMapper> registry("mapper", {MAPPERS(CALL)}, {"file", "a mapping file"});
  return registry;
}

}  // namespace

const core::Registry<MakeMapper>& mappers() {
  return table();
}

std::unique_ptr<Mapper> checked_mapper(std::string name, std::unique_ptr<Mapper> mapper, std::unique_ptr<Mapper> twin) {
  if (mapper == nullptr) core::fail_input("mapper '{}': found none, expected one to be made", name);
  return std::make_unique<CheckedMapper>(std::move(name), std::move(mapper), std::move(twin));
}

void add_mapper(core::Entry<MakeMapper> entry) {
  entry.make = [make = entry.make, name = std::string(entry.name)](const core::Arguments& arguments) {
    return core::blamed(fmt::format("mapper '{}'", name), [&] {
      return checked_mapper(name, make(arguments), core::twin_by([&] { return make(arguments); }));
    });
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
