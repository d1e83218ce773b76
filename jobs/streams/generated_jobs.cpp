#include "jobs/streams/generated_jobs.hpp"

namespace toroid::jobs {

const core::OptionalParameter<std::uint64_t> job_seed{
    "seed", "of the random numbers", core::whole(std::uint64_t{0}, ~std::uint64_t{0}), "that of the run"};

}  // namespace toroid::jobs
