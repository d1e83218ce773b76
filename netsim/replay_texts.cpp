#include "netsim/replay_texts.hpp"

#include "core/context.hpp"
#include "core/units.hpp"

namespace toroid::netsim {

ReplayOptions ReplayTexts::options() const {
  ReplayOptions o;
  const auto choice = core::in_context("--compute", [&] { return parse_compute(compute); });
  o.compute_scale = choice.scale;
  o.mean_computation = choice.mean;
  o.eager_threshold = core::parse_whole_bytes(eager, "--eager");
  o.envelope = core::parse_whole_bytes(envelope, "--envelope");
  o.collectives = workloads::CollectiveChoice::parse(collectives);
  if (!order.empty()) o.order = core::in_context("--order", [&] { return parse_order(order); });
  const auto repeating = core::in_context("--repeats", [&] { return parse_repeats(repeats); });
  o.repeats = repeating.how;
  o.sampling_width = repeating.width;
  return o;
}

}  // namespace toroid::netsim
