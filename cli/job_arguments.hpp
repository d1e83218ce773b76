#pragma once
// The jobs of a run with several, as users give them.

#include <cstdint>
#include <string>
#include <vector>

#include "cosim/placed_jobs.hpp"

namespace toroid::cli {

inline constexpr const char* job_help =
    "a job, instead of TRACE: TRACE[@NODES or @ALLOCATOR][,name=...][,map=...][,start=TIME][,repeat=N or until-end]"
    "[,seed=N][,ranks-per-node=N]; what has commas of its own stands in parentheses: "
    "'(cg:class=B,ranks=16)@(0-7,20-27)', and a box of nodes in two pairs: 'cg@((0-3,0,0))', or cg@z=0 "
    "(may be repeated)";

/// What holds for the jobs whose texts do not say otherwise.
struct UsualJob {
  alloc::AllocatorChoice allocator = "consecutive";
  mapping::MapperChoice map = "consecutive";
  std::int32_t ranks_per_node = 1;
  std::uint64_t seed = 1;  ///< of the first job; each job's seed is one more than that of the job before it
};

/// The jobs that texts describe, which are called job1, job2, ... unless the texts say otherwise. Throws InputError,
/// with the text, when it does not describe a job or could be read in two ways, and when two jobs have the same name.
std::vector<cosim::JobDescription> parse_jobs(const std::vector<std::string>& texts, const UsualJob& usual);

}  // namespace toroid::cli
