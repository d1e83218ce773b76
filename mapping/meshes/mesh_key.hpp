#pragma once
// The logical mesh of a program, as mappers are told it, and the box of the machine that its devices fill.

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/mapper.hpp"
#include "platforms/block.hpp"

namespace toroid::mapping {

/// The key `mesh`: the extents of the axes, ranks being numbered along the last one first, as in a numpy array.
extern const core::OptionalParameter<std::vector<std::int32_t>> mesh_parameter;

/// The mesh, or one axis of all ranks. Throws InputError unless it has a place for each rank.
std::vector<std::int32_t> mesh_of(const std::optional<std::vector<std::int32_t>>& mesh, const MappingProblem& problem);

/// The block of all slots of the job. Throws InputError unless they fill one, with a rank on each.
platforms::Block block_of_job(const MappingProblem& problem);

}  // namespace toroid::mapping
