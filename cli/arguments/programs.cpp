#include "cli/arguments.hpp"

#include "cli/option.hpp"

namespace toroid::cli {

void ReplayArguments::add_to(CLI::App& command) {
  add_value(command, "--compute", compute,
            "computation: none (left out: the time is that of the communication), trace (as measured, or at the "
            "speed of the machine's cores where the trace has flops), mean (trace, averaged over iterations), xF "
            "(F times trace), default (trace if a run was measured, else none)");
  add_value(command, "--eager", eager, "largest message sent without waiting for its receive");
  add_value(command, "--envelope", envelope, "bytes that every message carries besides its own");
  add_value(
      command, "--collectives", collectives,
      "algorithms: default (those of the program's world), mpi, torus or smpi (toroid list rules), with overrides: "
      "default:alltoall=linear,bcast=binomial");
  command.add_option(
      "--order", order,
      "messages that travel one after another: all from one node to another (pair), all that a node sends "
      "(node), or none: all share the links (shared) (default: the machine's `sending`)");
  add_value(
      command, "--repeats", repeats,
      "exact passes over iterations that begin in the state of an earlier one (fluid, packet; of several jobs, if "
      "all repeat together); off simulates all; sample:W% leaves out so many others, too, that one job's run time "
      "is known to W % either way at 95 % confidence");
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

void ProgramArguments::add_to(CLI::App& command, std::vector<std::string>& labels) {
  add_word(command, "--times", times, {"logged", "replayed", "epochs"},
           "how long jobs run: logged, as their log says; replayed: every job is a program, replayed message by "
           "message on the one network that all of them share; epochs: the same, but jobs skip ahead where "
           "their rates are steady, for long logs");
  add_repeated(command, "--program", rules,
               "what jobs run, TRACE [rounds N] [if CONDITIONS] [weight W], such as 'cg:class=A,ranks={power2} "
               "rounds logged if size=16-64,user=3'; may be repeated, the first that is for a job counts");
  add_choices(command, "--map", maps,
              "mappers of each job's ranks; consecutive: on its nodes in the order in which the allocator gives them",
              &labels);
  add_whole(command, "--ranks-per-node", ranks_per_node, 1, 1'000'000, "ranks that share a node");
  add_choice(command, "--reference", reference,
             "allocator of the nodes on which a program with 'rounds logged', alone, lasts as its job's log says");
  command.add_flag("--no-alone", not_alone,
                   "do not replay each job alone, too, to know what its neighbours cost; takes half the time");
  add_word(command, "--failing", failing, {"fail", "go-on"},
           "what happens when the program of a job cannot go on, as in a deadlock: fail (the run ends), or go-on (the "
           "job ends, and is counted)");
  add_whole(command, "--epoch-rounds", epochs.rounds, 2, 10'000,
            "after so many rounds of each job of a mix their rates are taken as they are, steady or not");
  add_whole(command, "--epoch-samples", epochs.samples, 1, 10'000,
            "a mix that recurs is simulated so many times, with other phases; then the mean is used");
  command
      .add_option(
          "--epoch-error", epochs.error,
          "relative error to which rates must be known before jobs skip rounds, on average over the jobs of a mix")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  replay.add_to(command);
}

void ProgramArguments::check(const CLI::App& command) const {
  const auto refuse = [&](const std::vector<std::string>& names, const char* expected) {
    for (const auto& name : names)
      if (command.count(name) > 0) core::fail_input("{}: expected --times {}, found {}", name, expected, times);
  };
  if (!any())
    refuse({"--program", "--map", "--ranks-per-node", "--reference", "--failing", "--compute", "--eager", "--envelope",
            "--collectives", "--order", "--repeats", "--windows", "--no-alone"},
           "replayed or epochs");
  replay.refuse_sample("as the jobs of a schedule share the network");
  if (times != "epochs") refuse({"--epoch-rounds", "--epoch-samples", "--epoch-error"}, "epochs");
}

cosim::ScheduleSettings::Times ProgramArguments::how_long() const {
  using Times = cosim::ScheduleSettings::Times;
  return !any() ? Times::logged : times == "replayed" ? Times::replayed : Times::epochs;
}

netsim::OnFailedJob ProgramArguments::on_failure() const {
  return failing == "fail" ? netsim::OnFailedJob::stop : netsim::OnFailedJob::go_on;
}

cosim::ProgramOptions ProgramArguments::options() const {
  return {rules, maps[0], ranks_per_node, replay.options(), !not_alone, reference};
}

void ProgramArguments::record(core::Json& manifest) const {
  manifest["times"] = times;
  if (!any()) return;
  manifest["programs"] = rules;
  manifest["ranks_per_node"] = ranks_per_node;
  manifest["reference"] = reference.text();
  manifest["alone"] = !not_alone;
  manifest["failing"] = failing;
  if (times == "epochs") {
    manifest["epoch_rounds"] = epochs.rounds;
    manifest["epoch_samples"] = epochs.samples;
    manifest["epoch_error"] = epochs.error;
  }
  replay.record(manifest);
}

}  // namespace toroid::cli
