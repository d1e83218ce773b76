#include "cli/program_arguments.hpp"

#include "cli/option.hpp"

namespace toroid::cli {

void ProgramArguments::add_to(CLI::App& command, std::vector<std::string>& labels) {
  command
      .add_option("--times", times,
                  "how long jobs run: logged, as their log says; replayed: every job is a program, replayed message by "
                  "message on the one network that all of them share; epochs: the same, but jobs skip ahead where "
                  "their rates are steady, for long logs")
      ->capture_default_str()
      ->check(CLI::IsMember({"logged", "replayed", "epochs"}));
  command
      .add_option("--program", rules,
                  "what jobs run, TRACE [rounds N] [if CONDITIONS] [weight W], such as 'cg:class=A,ranks={power2} "
                  "rounds logged if size=16-64,user=3'; may be repeated, the first that is for a job counts")
      ->allow_extra_args(false);
  add_choices(command, "--map", maps,
              "mappers of each job's ranks; consecutive: on its nodes in the order in which the allocator gives them",
              &labels);
  command.add_option("--ranks-per-node", ranks_per_node, "ranks that share a node")
      ->capture_default_str()
      ->transform(whole(1, 1'000'000));
  add_choice(command, "--reference", reference,
             "allocator of the nodes on which a program with 'rounds logged', alone, lasts as its job's log says");
  command.add_flag("--no-alone", not_alone,
                   "do not replay each job alone, too, to know what its neighbours cost; takes half the time");
  command
      .add_option(
          "--failing", failing,
          "what happens when the program of a job cannot go on, as in a deadlock: fail (the run ends), or go-on (the "
          "job ends, and is counted)")
      ->capture_default_str()
      ->check(CLI::IsMember({"fail", "go-on"}));
  command
      .add_option("--epoch-rounds", epochs.rounds,
                  "after so many rounds of each job of a mix their rates are taken as they are, steady or not")
      ->capture_default_str()
      ->transform(whole(2, 10'000));
  command
      .add_option("--epoch-samples", epochs.samples,
                  "a mix that recurs is simulated so many times, with other phases; then the mean is used")
      ->capture_default_str()
      ->transform(whole(1, 10'000));
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
