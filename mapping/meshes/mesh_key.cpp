#include "mapping/meshes/mesh_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>

#include "core/error.hpp"

namespace toroid::mapping {

const core::OptionalParameter<std::vector<std::int32_t>> mesh_parameter{
    "mesh", "extents of the program's mesh, ranks numbered along the last axis first", core::extents(8, 1 << 22),
    "one axis of all ranks"};

std::vector<std::int32_t> mesh_of(const std::optional<std::vector<std::int32_t>>& mesh, const MappingProblem& problem) {
  if (!mesh) return {problem.ranks()};
  const auto places = std::accumulate(mesh->begin(), mesh->end(), std::int64_t{1}, std::multiplies<>());
  if (places != problem.ranks())
    core::fail_input("mesh={}: found {} places, expected one for each of {} ranks", fmt::join(*mesh, "x"), places,
                     problem.ranks());
  return *mesh;
}

platforms::Block block_of_job(const MappingProblem& problem) {
  if (problem.slots.size() != static_cast<std::size_t>(problem.ranks()))
    core::fail_input("{} ranks on {} slots of {}: expected as many ranks as slots, for a mesh over all of them",
                     problem.ranks(), problem.slots.size(), problem.machine.name());
  auto block = platforms::block_of(problem.machine, problem.slots);
  if (!block)
    core::fail_input("the {} slots on {} fill no box of it, one on each router; expected one, for a mesh over them",
                     problem.slots.size(), problem.machine.name());
  return *std::move(block);
}

}  // namespace toroid::mapping
