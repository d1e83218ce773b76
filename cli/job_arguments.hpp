#pragma once
// The jobs of a run with several, as users give them.

#include <string>
#include <vector>

#include "cosim/placed_jobs.hpp"

namespace toroid::cli {

inline constexpr const char* job_help =
    "a job, instead of TRACE: TRACE[@NODES or @ALLOCATOR][,name=...][,map=...][,start=TIME][,repeat=N or until-end]"
    "[,seed=N][,ranks-per-node=N]; what has commas of its own stands in parentheses: "
    "'(cg:class=B,ranks=16)@(0-7,20-27)' "
    "(may be repeated)";

/// The jobs that texts describe. What a text does not say is taken from `usual`; names are job1, job2, ..., and each
/// job's seed is one more than that of the job before it. Throws InputError, with the text, when it does not describe a
/// job or could be read in two ways, and when two jobs have the same name.
std::vector<cosim::JobDescription> parse_jobs(const std::vector<std::string>& texts,
                                              const cosim::JobDescription& usual);

}  // namespace toroid::cli
