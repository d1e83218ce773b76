// The order of devices that JAX takes for a mesh on a TPU slice, where the user gives none.

#include <algorithm>

#include "core/error.hpp"
#include "mapping/mappers.hpp"
#include "mapping/meshes/jax_assignment.hpp"
#include "mapping/meshes/mesh_key.hpp"
#include "platforms/block.hpp"

namespace toroid::mapping {
namespace {

const core::Parameter<bool> split{"split", "whether axes of the machine may be divided (allow_split_physical_axes)",
                                  core::yes_or_no(), "no"};
const core::Parameter<bool> contiguous{"contiguous", "whether hosts get boxes of the mesh (contiguous_submeshes)",
                                       core::yes_or_no(), "no"};
const core::OptionalParameter<std::string> chip{
    "chip", "the chips, for JAX's rings of small slices",
    core::one_of<std::string>(
        {{"v2", "v2"}, {"v3", "v3"}, {"v4", "v4"}, {"v5e", "v5e"}, {"v5p", "v5p"}, {"v6e", "v6e"}, {"v7", "v7"}}),
    "those of the slice, tpu-CHIP"};

/// `v5p` of `tpu-v5p:4x4x8` and `tpu-v5p-4x4x8`; empty for other machines.
std::string generation_of(const Machine& machine) {
  constexpr std::string_view prefix = "tpu-";
  const auto& name = machine.name();
  if (!name.starts_with(prefix)) return {};
  return name.substr(prefix.size(), name.find_first_of(":-,", prefix.size()) - prefix.size());
}

class Jax final : public Mapper {
 public:
  explicit Jax(const core::Arguments& arguments)
      : mesh_(arguments[mesh_parameter]),
        options_{arguments[split], arguments[contiguous]},
        generation_(arguments[chip]) {}

  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  void check(const MappingProblem& problem) const override { map(problem); }

  Mapping map(const MappingProblem& problem) const override {
    const auto mesh = mesh_of(mesh_, problem);
    const auto block = block_of_job(problem);
    auto chips = block.extents;
    const auto& grid = problem.machine.grid();
    std::int32_t cores = 1;
    if (chips.size() > 1 && grid.name(chips.size() - 1) == "core") {
      cores = chips.back();
      chips.pop_back();
    }
    if (chips.size() < 2 || chips.size() > 3)
      core::fail_input("mapper 'jax': {} has {} dimensions, expected the two or three of a TPU slice",
                       problem.machine.name(), chips.size());
    const auto ids =
        jax::device_mesh(generation_.value_or(generation_of(problem.machine)), chips, cores, mesh, options_);
    Mapping mapping;
    for (const auto id : ids) {
      const auto place = id / cores + id % cores * static_cast<std::int32_t>(block.node_at.size()) / cores;
      mapping.add(problem.slots[block.node_at[static_cast<std::size_t>(place)]]);
    }
    return mapping;
  }

 private:
  std::optional<std::vector<std::int32_t>> mesh_;
  jax::Options options_;
  std::optional<std::string> generation_;
};

}  // namespace

core::Entry<MakeMapper> jax_mapper() {
  return {"jax",
          "the devices of a mesh as JAX orders them on a TPU slice (jax.experimental.mesh_utils)",
          make<Jax>,
          {mesh_parameter, split, contiguous, chip}};
}

}  // namespace toroid::mapping
