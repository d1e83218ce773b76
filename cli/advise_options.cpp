#include "cli/advise_options.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/units.hpp"
#include "study/executor.hpp"

namespace toroid::cli {

double AdviseOptions::budget_seconds() const {
  const double seconds = core::parse_duration(budget, "--budget");
  constexpr double least = 1, most = 1e6;
  if (seconds < least || seconds > most) core::fail_input("--budget: found {}, expected 1s to 1000000s", budget);
  return seconds;
}

std::size_t AdviseOptions::worker_count() const {
  return workers == 0 ? study::default_workers(1) : workers;
}

std::string advice_line(std::string_view label, std::string_view said) {
  return fmt::format("{:<15}{}\n", label, said);
}

}  // namespace toroid::cli
