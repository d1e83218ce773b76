#include "cli/replay_arguments.hpp"

#include "core/error.hpp"

namespace toroid::cli {

void ReplayArguments::add_to(CLI::App& command) {
  command
      .add_option("--compute", compute,
                  "computation: none (left out: the time is that of the communication), trace (as measured, or at the "
                  "speed of the machine's cores where the trace has flops), mean (trace, averaged over iterations), xF "
                  "(F times trace), default (trace if a run was measured, else none)")
      ->capture_default_str();
  command.add_option("--eager", eager, "largest message sent without waiting for its receive")->capture_default_str();
  command.add_option("--envelope", envelope, "bytes that every message carries besides its own")->capture_default_str();
  command
      .add_option(
          "--collectives", collectives,
          "algorithms: default (those of the program's world), mpi, torus or smpi (toroid list rules), with overrides: "
          "default:alltoall=linear,bcast=binomial")
      ->capture_default_str();
  command.add_option(
      "--order", order,
      "messages that travel one after another: all from one node to another (pair), all that a node sends "
      "(node), or none: all share the links (shared) (default: the machine's `sending`)");
  command
      .add_option(
          "--repeats", repeats,
          "exact passes over iterations that begin in the state of an earlier one (fluid, packet; of several jobs, if "
          "all repeat together); off simulates all; sample:W% leaves out so many others, too, that one job's run time "
          "is known to W % either way at 95 % confidence")
      ->capture_default_str();
}

void ReplayArguments::refuse_sample(std::string_view why) const {
  if (options().repeats == netsim::Repeats::sample)
    core::fail_input("--repeats: found {}, expected exact or off, {}", repeats, why);
}

void ReplayArguments::record(core::Json& manifest) const {
  manifest["compute"] = compute;
  manifest["eager"] = eager;
  manifest["envelope"] = envelope;
  manifest["collectives"] = collectives;
  manifest["order"] = order.empty() ? core::Json() : core::Json(order);
  manifest["repeats"] = repeats;
}

}  // namespace toroid::cli
