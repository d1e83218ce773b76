#include "toroid/cosim/options.hpp"

namespace toroid::cosim {

void read_estimates(const std::string& text, Options& options) {
  if (text == "log" || text == "exact") {
    options.estimates = text == "log" ? Options::Estimates::logged : Options::Estimates::exact;
    return;
  }
  const auto factor =
      text.starts_with('x') ? core::parse_number<double>(std::string_view(text).substr(1)) : std::nullopt;
  if (!factor || !(*factor > 0 && *factor <= 1e6))
    core::fail_input("found '{}', expected log, exact, or a factor of the run time such as x2", text);
  options.estimates = Options::Estimates::factor;
  options.factor = *factor;
}

netsim::Time estimate(const jobs::Job& job, const Options& options) {
  const double run_time = std::max(job.run_time, 0.0);
  const auto known = [&] {
    switch (options.estimates) {
      case Options::Estimates::logged:
        return job.estimate > 0 ? job.estimate : 2 * run_time;
      case Options::Estimates::exact:
        return run_time;
      case Options::Estimates::factor:
        return options.factor * run_time;
    }
    return run_time;
  };
  return netsim::Time(options.kill ? known() : std::max(known(), run_time));
}

std::int32_t first_demand(const jobs::Job& job, const Options& options) {
  return options.dynamic ? demanded(job.demand, job.size, 0) : job.size;
}

}  // namespace toroid::cosim
