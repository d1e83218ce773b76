#include <array>
#include <cmath>

#include "core/random.hpp"
#include "jobs/streams/streams.hpp"

namespace toroid::jobs {
namespace {

enum class Sizes { uniform, exponential, rectangles };

const core::Parameter<double> load{"load", "mean service time over mean time between submissions",
                                   core::real(1e-6, 1e6), "10"};
const core::Parameter<Sizes> sizes{
    "distribution",
    "of sizes: uniform from 1 to 4 sides, exponential with a mean of 2 sides, or of rectangles, each of whose sides is "
    "uniform from 1 to that of the mesh",
    core::one_of<Sizes>(
        {{"uniform", Sizes::uniform}, {"exponential", Sizes::exponential}, {"rectangles", Sizes::rectangles}}),
    "uniform"};
const core::Parameter<std::int32_t> side{"side", "side of the square mesh that the sizes are for",
                                         core::whole(1, 10'000), "32"};
const core::Parameter<std::uint64_t> jobs{"jobs", "how many", core::whole(std::uint64_t{1}, std::uint64_t{1} << 40U),
                                          "1000"};
const core::Parameter<double> service{"service", "mean service time", core::duration(), "1s"};
const core::Parameter<double> changing{
    "changing", "share of jobs whose demand changes: a third each increases, decreases, goes up and down",
    core::real(0, 1), "0.3"};

/// The jobs of De Rose, Heiss and Linnert 2007, Section 3.1, after Krueger et al. and Zhu: submissions at random (a
/// Poisson process), exponential service times. Rectangles are what allocators of submeshes are tried with. Each
/// property has random numbers of its own, so that another load has the same jobs.
class DeRose {
 public:
  DeRose(const core::Arguments& arguments, std::uint64_t seed)
      : arguments_(arguments),
        arrivals_(seed, "arrivals"),
        services_(seed, "services"),
        size_numbers_(seed, "sizes"),
        demands_(seed, "demands") {}

  Job job(std::int64_t number) {
    now_ += exponential(arrivals_, service_ / load_);
    Job job{.number = number, .name = {}, .submitted = now_, .run_time = exponential(services_, service_)};
    job.size = size();
    job.demand = demand();
    return job;
  }

 private:
  static double exponential(core::Random& random, double mean) { return -mean * std::log1p(-random.unit()); }

  std::int32_t up_to(std::int32_t most) {
    return 1 + static_cast<std::int32_t>(size_numbers_.below(static_cast<std::uint64_t>(most)));
  }

  std::int32_t size() {
    const std::int32_t most = side_ * side_;
    if (sizes_ == Sizes::uniform) return std::min(most, up_to(4 * side_));
    if (sizes_ == Sizes::rectangles) {
      const std::int32_t width = up_to(side_);
      return width * up_to(side_);
    }
    const double drawn = std::ceil(exponential(size_numbers_, 2.0 * side_));
    return static_cast<std::int32_t>(std::clamp(drawn, 1.0, static_cast<double>(most)));
  }

  Demand demand() {
    constexpr std::array changes{Demand::increasing, Demand::decreasing, Demand::pyramid};
    const bool changes_at_all = demands_.unit() < changing_;
    const auto which = demands_.below(changes.size());
    return changes_at_all ? changes[which] : Demand::constant;
  }

  core::Arguments arguments_;
  double load_ = arguments_[load], service_ = arguments_[service], changing_ = arguments_[changing];
  std::int32_t side_ = arguments_[side];
  Sizes sizes_ = arguments_[sizes];
  core::Random arrivals_, services_, size_numbers_, demands_;
  double now_ = 0;
};

}  // namespace

core::Entry<MakeJobs> derose_jobs() {
  return {"derose",
          "submissions at random, exponential service times, demands that change (De Rose et al. 2007)",
          [](std::uint64_t seed, const core::Arguments& arguments) -> std::unique_ptr<Jobs> {
            return std::make_unique<GeneratedJobs<DeRose>>(arguments, seed, arguments[jobs]);
          },
          {load, sizes, side, jobs, service, changing, job_seed}};
}

}  // namespace toroid::jobs
