#include "toroid/netsim/replay_options.hpp"

#include <cmath>

#include "core/blame.hpp"
#include "core/units.hpp"

namespace toroid::netsim {

Order parse_order(std::string_view text) {
  for (const auto& [word, order] : platforms::words<Order>())
    if (word == text) return order;
  core::fail_input("found '{}', expected pair, node or shared", core::excerpt(text));
}

std::optional<double> parse_compute(std::string_view text) {
  if (text == "default") return {};
  if (text == "none") return 0;
  if (text == "trace") return 1;
  const auto factor = text.starts_with('x') ? core::parse_number<double>(text.substr(1)) : std::nullopt;
  if (!factor || !(*factor >= 0) || !std::isfinite(*factor))
    core::fail_input("found '{}', expected default, none, trace, or xF with a factor F of 0 or more, such as x0.5",
                     core::excerpt(text));
  return factor;
}

RepeatsChoice parse_repeats(std::string_view text) {
  constexpr double least = 0.01, most = 50;  // per cent
  constexpr std::string_view sample = "sample:";
  if (text == "exact") return {};
  if (text == "off") return {.how = Repeats::off};
  if (text == "sample") return {.how = Repeats::sample};
  if (text.starts_with(sample) && text.ends_with('%')) {
    const auto width = core::parse_number<double>(text.substr(sample.size(), text.size() - sample.size() - 1));
    if (width && *width >= least && *width <= most) return {.how = Repeats::sample, .width = *width / 100};
  }
  core::fail_input(
      "found '{}', expected exact, off, sample, or sample:W% with a width W of {:g} to {:g}, such as sample:1%",
      core::excerpt(text), least, most);
}

ReplayOptions ReplayTexts::options() const {
  ReplayOptions o;
  o.compute_scale = core::in_context("--compute", [&] { return parse_compute(compute); });
  if (!eager.empty()) o.eager_threshold = core::parse_whole_bytes(eager, "--eager");
  o.envelope = core::parse_whole_bytes(envelope, "--envelope");
  o.collectives = workloads::CollectiveChoice::parse(collectives);
  if (!order.empty()) o.order = core::in_context("--order", [&] { return parse_order(order); });
  const auto repeating = core::in_context("--repeats", [&] { return parse_repeats(repeats); });
  o.repeats = repeating.how;
  o.sampling_width = repeating.width;
  return o;
}

}  // namespace toroid::netsim
