#pragma once
// How logs and rules say what a job runs: `TRACE [rounds N]`, with numbers of the job in braces.

#include <span>

#include "toroid/jobs/jobs.hpp"

namespace toroid::jobs {

/// The extents of a grid with `size` places: as many axes as `sides` has, and as near as whole numbers allow to the
/// proportions of these. Of grids as near the one whose first axes are longer.
std::vector<std::int32_t> grid_like(std::int32_t size, std::span<const std::int32_t> sides);

/// The text with the job's numbers in place of their names in braces. `sides` are those of the box around its nodes,
/// for `{grid}`; where no job has nodes yet, those of any box. Throws InputError on another name.
std::string filled_in(const std::string& program, const Job& job, std::span<const std::int32_t> sides);

/// Protects the traces that jobs name, read or not: no output of the command may be written over them.
void keep_programs_of(const std::vector<Job>& jobs);

}  // namespace toroid::jobs
