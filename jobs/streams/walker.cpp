#include <array>

#include "core/random.hpp"
#include "jobs/streams/streams.hpp"

namespace toroid::jobs {
namespace {

struct Kind {
  std::int32_t size, jobs;
};
constexpr std::array<Kind, 4> kinds{{{2, 1820}, {5, 660}, {15, 620}, {20, 660}}};
constexpr std::int32_t rounds = 25;  ///< rounds of the test suite in a job

const core::Parameter<double> message{"message", "time that a rank takes to send one message", core::duration(), "1s"};

std::uint64_t all_jobs() {
  std::uint64_t sum = 0;
  for (const auto& kind : kinds) sum += static_cast<std::uint64_t>(kind.jobs);
  return sum;
}

/// The stream that Walker, Bunde and Leung 2010 ran on a Red Storm test cabinet, a 20x4 mesh: 3,760 jobs of four sizes,
/// well mixed, all there from the beginning. Each does 25 all-to-all broadcasts, in which every rank sends to all
/// others; its time without contention is that of so many messages, one after the other.
class Walker {
 public:
  Walker(const core::Arguments& arguments, std::uint64_t seed) : message_(arguments[message]) {
    for (const auto& kind : kinds) sizes_.insert(sizes_.end(), static_cast<std::size_t>(kind.jobs), kind.size);
    core::Random(seed, "order").shuffle(sizes_);
  }

  Job job(std::int64_t number) const {
    const auto size = sizes_[static_cast<std::size_t>(number - 1)];
    return {.number = number, .name = {}, .run_time = rounds * (size - 1) * message_, .size = size};
  }

 private:
  double message_;
  std::vector<std::int32_t> sizes_;
};

}  // namespace

core::Entry<MakeJobs> walker_jobs() {
  return {"walker",
          "3,760 jobs of 2, 5, 15 and 20 ranks, mixed, for a 20x4 mesh (Walker et al. 2010)",
          [](std::uint64_t seed, const core::Arguments& arguments) -> std::unique_ptr<Jobs> {
            return std::make_unique<GeneratedJobs<Walker>>(arguments, seed, all_jobs());
          },
          {message, job_seed}};
}

}  // namespace toroid::jobs
