#include "cli/replay_arguments.hpp"

#include "cli/option.hpp"
#include "core/units.hpp"

namespace toroid::cli {

void ReplayArguments::add_to(CLI::App& command) {
  command
      .add_option("--compute", compute,
                  "recorded computation: none (infinitely fast), trace (as recorded), xF (F times as long)")
      ->capture_default_str();
  command.add_option("--eager", eager, "largest message sent without waiting for its receive")->capture_default_str();
  command.add_option("--envelope", envelope, "bytes that every message carries besides its own")->capture_default_str();
  command
      .add_option("--collectives", collectives,
                  "default or smpi, with overrides: default:alltoall=linear,bcast=binomial")
      ->capture_default_str();
}

netsim::ReplayOptions ReplayArguments::options() const {
  netsim::ReplayOptions o;
  o.compute_scale = of_option("--compute", [&] { return netsim::parse_compute(compute); });
  o.eager_threshold = core::parse_whole_bytes(eager, "--eager");
  o.envelope = core::parse_whole_bytes(envelope, "--envelope");
  o.collectives = workloads::CollectiveChoice::parse(collectives);
  return o;
}

void ReplayArguments::record(core::Json& manifest) const {
  manifest["compute"] = compute;
  manifest["eager"] = eager;
  manifest["envelope"] = envelope;
  manifest["collectives"] = collectives;
}

}  // namespace toroid::cli
