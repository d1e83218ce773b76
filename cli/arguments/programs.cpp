#include "cli/arguments.hpp"
#include "workloads/collectives/rules.hpp"

namespace toroid::cli {

Options replay_options(netsim::ReplayTexts& o) {
  return replay_options_with(o,
                             {"--collectives", o.collectives, common, like(workloads::collective_rule_names()), setting,
                              "algorithms: default (those of the program's world), mpi, torus, openmpi or smpi (toroid "
                              "list rules), with overrides: default:alltoall=linear,bcast=binomial"});
}

Options replay_options_with(netsim::ReplayTexts& o, Option collectives) {
  return {
      Heading{"Replay"},
      {"--compute", o.compute, common, like({"default", "none", "trace"}), setting,
       "computation: none (left out: the time is that of the communication), trace (as measured, or at the speed of "
       "the machine's cores where the trace has flops), xF (F times trace), default (trace if a run was measured, else "
       "none)"},
      {"--eager", o.eager, setting_or(nullptr),
       "largest message sent without waiting for its receive (default: the machine's `eager`)"},
      {"--envelope", o.envelope, setting, "bytes that every message carries besides its own"},
      std::move(collectives),
      {"--order", o.order, like({"pair", "node", "shared"}), setting_or(nullptr),
       "messages that travel one after another: all from one node to another (pair), all that a node sends (node), or "
       "none: all share the links (shared) (default: the machine's `sending`)"},
      {"--repeats", o.repeats, like({"exact", "off", "sample"}), setting,
       "exact passes over iterations that begin in the state of an earlier one (fluid, packet; of several jobs, if all "
       "repeat together); off simulates all; sample:W% leaves out so many others, too, that one job's run time is "
       "known to W % either way at 95 % confidence"},
  };
}

void ReplayArguments::refuse_sample(std::string_view why) const {
  if (options().repeats == netsim::Repeats::sample)
    core::fail_input("--repeats: found {}, expected exact or off, {}", repeats, why);
}

Options program_options(ProgramArguments& o) {
  const auto lacking = [&](bool has_effect, std::string_view times) {
    return has_effect ? "" : fmt::format("--times {}, found {}", times, o.times);
  };
  const bool by_epochs = o.times == "epochs";
  const auto idle_program = lacking(o.any(), "replayed, epochs or modelled");
  const auto of_programs = setting_if(o.any(), idle_program);
  const auto idle_messages = lacking(o.have_messages(), "replayed or epochs");
  const auto of_messages = setting_if(o.have_messages(), idle_messages);
  const bool by_model = o.times == "modelled";
  const auto of_epochs = setting_if(by_epochs, lacking(by_epochs, "epochs"));
  return {
      Heading{"Programs of jobs"},
      {"--times", o.times, common, one_of({"logged", "replayed", "epochs", "modelled"}), setting,
       "how long jobs run: logged, as their log says; replayed: every job is a program, replayed message by message on "
       "the one network that all of them share; epochs: the same, but jobs skip ahead where their rates are steady. "
       "For logs of years modelled: as logged, but the share in which they communicate (--communication) is as long as "
       "the bytes on links make it"},
      {"--program", o.rules, common, trace_name(), repeated, key("programs"), of_programs,
       "what jobs run, TRACE [rounds N] [if CONDITIONS] [weight W], such as 'cg:class=A,ranks={power2} rounds logged "
       "if size=16-64,user=3'; may be repeated, the first that is for a job counts"},
      {"--map", choices(o.maps, &o.map_labels), common, entry_of(mapping::mappers()), idle(idle_program),
       "mappers of each job's ranks; consecutive: on its nodes in the order in which the allocator gives them"},
      {"--ranks-per-node", o.ranks_per_node, whole(1, 1'000'000), of_programs, "ranks that share a node"},
      {"--reference", o.reference, of_programs,
       "allocator of the nodes on which a program with 'rounds logged', alone, lasts as its job's log says"},
      {"--communication", o.communication, real(0.001, 1), setting_if(by_model, lacking(by_model, "modelled")),
       "share of its logged run time for which a job communicates on the nodes of --reference, alone: the mean over "
       "jobs, whose shares are drawn by the seed, evenly distributed around it"},
      {"--no-alone", o.alone, of_messages,
       "do not replay each job alone, too, to know what its neighbours cost; takes half the time"},
      {"--failing", o.failing, one_of({"fail", "go-on"}), of_messages,
       "what happens when the program of a job cannot go on, as in a deadlock: fail (the run ends), or go-on (the job "
       "ends, and is counted)"},
      {"--epoch-rounds", o.epochs.rounds, whole(2, 10'000), of_epochs,
       "after so many rounds of each job of a mix their rates are taken as they are, steady or not"},
      {"--epoch-samples", o.epochs.samples, whole(1, 10'000), of_epochs,
       "a mix that recurs is simulated so many times, with other phases; then the mean is used"},
      {"--epoch-error", o.epochs.error, real(0, 1), of_epochs,
       "relative error to which rates must be known before jobs skip rounds, on average over the jobs of a mix"},
      replay_options(o.replay).only_if(o.have_messages(), idle_messages),
  };
}

cosim::ScheduleSettings::Times ProgramArguments::how_long() const {
  using Times = cosim::ScheduleSettings::Times;
  return !any()                ? Times::logged
         : times == "replayed" ? Times::replayed
         : times == "epochs"   ? Times::epochs
                               : Times::modelled;
}

netsim::OnFailedJob ProgramArguments::on_failure() const {
  return failing == "fail" ? netsim::OnFailedJob::stop : netsim::OnFailedJob::go_on;
}

cosim::ProgramOptions ProgramArguments::options() const {
  return {rules, maps[0], ranks_per_node, replay.options(), alone, reference, communication};
}

Option jobs_argument(std::string& jobs) {
  return {"JOBS", jobs, entry_of(jobs::job_generators()), required,
          "job log (SWF, Batsim's JSON, sacct, CSV), or a job stream such as derose:load=10 (toroid list jobs), with "
          "filters behind a colon: log.swf.zst:sizes=1-64,arrivals=0.5"};
}

}  // namespace toroid::cli
