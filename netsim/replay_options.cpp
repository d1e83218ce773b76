#include "netsim/replay_options.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::netsim {

ComputeChoice parse_compute(std::string_view text) {
  if (text == "default") return {};
  if (text == "none") return {.scale = 0};
  if (text == "trace") return {.scale = 1};
  if (text == "mean") return {.scale = 1, .mean = true};
  const auto factor = text.starts_with('x') ? core::parse_number<double>(text.substr(1)) : std::nullopt;
  if (!factor || !(*factor >= 0) || !std::isfinite(*factor))
    core::fail_input(
        "found '{}', expected default, none, trace, mean, or xF with a factor F of 0 or more, such as x0.5",
        core::excerpt(text));
  return {.scale = factor};
}

Repeats parse_repeats(std::string_view text) {
  if (text == "exact") return Repeats::exact;
  if (text == "off") return Repeats::off;
  core::fail_input("found '{}', expected exact or off", core::excerpt(text));
}

}  // namespace toroid::netsim
