#include "cli/arguments.hpp"

#include <cctype>
#include <filesystem>

#include "core/file.hpp"
#include "study/draws.hpp"
#include "workloads/collectives/rules.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::cli {
namespace {

struct Named {
  std::string what;
  std::string_view argument;  ///< the argument that takes it
};

/// The first format, but for the one that takes any text, that knows the file; empty if none does.
template <class Registry>
std::string format_of(const Registry& formats, const std::string& path, std::string_view takes_any) {
  const auto& all = formats.entries();
  const auto known = std::ranges::find_if(
      all, [&](const auto& format) { return format.name != takes_any && format.make.recognizes(path); });
  return known == all.end() ? std::string() : fmt::format(" ({})", known->name);
}

/// Whether a line is one of SWF: a comment, or the numbers of a job.
bool is_swf(std::string_view line) {
  constexpr auto blanks_of_a_job = 17;
  return line.starts_with(';') ||
         (std::ranges::count_if(line, [](char c) { return c == ' ' || c == '\t'; }) >= blanks_of_a_job &&
          line.find_first_not_of("0123456789.- \t") == std::string_view::npos);
}

/// Whether a line is an action of a rank, such as `0 init`.
bool is_action(std::string_view line) {
  const auto blank = line.find(' ');
  return blank != std::string_view::npos && core::parse_number<std::int32_t>(line.substr(0, blank)) &&
         blank + 1 < line.size() && std::isalpha(static_cast<unsigned char>(line[blank + 1])) != 0;
}

std::optional<Named> named_file(const std::string& path) {
  const auto first = core::first_content(path);
  if (first.starts_with('<')) return Named{"an XML file", "PLATFORM"};
  if (first.starts_with('{') || first.starts_with('[')) return std::nullopt;  // JSON of which kind its readers tell
  if (is_swf(first)) return Named{"a job log (swf)", "JOBS"};
  if (const auto format = format_of(jobs::job_formats(), path, "swf"); !format.empty())
    return Named{"a job log" + format, "JOBS"};
  if (is_action(first)) return Named{"a trace (ti)", "TRACE"};
  if (const auto format = format_of(workloads::trace_formats(), path, "ti"); !format.empty())
    return Named{"a trace" + format, "TRACE"};
  const bool has_numbers = !first.empty() && first.find_first_not_of("0123456789.,;- \te+") == std::string::npos;
  if (path.ends_with(".csv") && !has_numbers) return std::nullopt;  // a table whose columns its readers look for
  if (const auto format = format_of(workloads::matrix_formats(), path, ""); !format.empty())
    return Named{"a communication matrix" + format, "TRACE"};
  return std::nullopt;
}

std::optional<Named> named(const std::string& text) {
  const auto name = text.substr(0, text.find_first_of(":,"));
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return core::is_file(text) ? named_file(text) : std::nullopt;
  if (workloads::generators().has(name)) return Named{"a trace", "TRACE"};
  if (jobs::job_generators().has(name)) return Named{"a job stream", "JOBS"};
  if (platforms::is_platform_name(name)) return Named{"a platform", "PLATFORM"};
  return core::is_file(name) ? named_file(name) : std::nullopt;
}

std::pair<std::string, std::string> parse_assignment(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    core::fail_input("{} '{}': expected {}", option, text, option == "--wrap" ? "z=mesh" : "property=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

void refuse_swapped(std::string_view argument, const std::string& text) {
  if (argument == "PLATFORM" && platforms::is_topology_file(platforms::platform_file(text))) return;
  if (argument == "TRACE" && workloads::matrix_format_of(text) != nullptr) return;  // dense ones may look like logs
  if (const auto is = named(text); is && is->argument != argument)
    core::fail_input("'{}' is {}, where {} is expected: swapped with {}?", core::excerpt(text), is->what, argument,
                     is->argument);
}

Option uncertainty_option(std::size_t& draws, const std::string& help) {
  return {"--uncertainty", draws, whole(1, study::most_draws), called("N"), help};
}

Option workers_option(std::size_t& workers, const std::string& help) {
  return {"--workers", workers, whole(1, 4096), unrecorded, help};
}

Option seed_option(std::uint64_t& seed, const std::string& help) {
  return {"--seed", seed, any_seed(), setting, help};
}

Option platform_argument(std::string& platform) {
  return {"PLATFORM", platform, machine_name(), required,
          "machine: mesh:8x8, torus:4x4x4, ring:12x8, a preset such as bigben, an XML file, or a topology.yaml of "
          "Slurm, each with properties: mesh:8x8,bandwidth=2GBps (toroid list platforms, toroid list properties)"};
}

Option trace_argument(std::string& trace, const std::string& help) {
  return {"TRACE", trace, trace_name(), required, help};
}

Options machine_options(MachineArguments& o) {
  return {
      Heading{"Changes of the machine"},
      {"--set", o.set, common, repeated,
       "change a property of the platform: y.bandwidth=2GBps, or by a factor: y.bandwidth=x0.5 (may be repeated)"},
      {"--wrap", o.wrap, common, like({"mesh", "torus", "ring"}), repeated,
       "change the wrap: mesh, or of one dimension z=mesh (may be repeated)"},
      {"--fail-link", o.fail_link, repeated,
       "links that are down, as they are printed: n5-n6, (0,1)-(0,2), n5>n6 one way, 'n5 -> n6 (+x)' (may be "
       "repeated)"},
      {"--fail-node", o.fail_node, repeated,
       "nodes that are down: 17, 0-3, those of a box (0-5,0,0) or z=0 (may be repeated)"},
      {"--fail-router", o.fail_router, repeated,
       "routers that are down, with their links and nodes: r17, n34, (0,1), a box (0-5,0,0) or z=0 (may be repeated)"},
  };
}

std::vector<std::pair<std::string, std::string>> MachineArguments::properties() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& text : set) all.push_back(parse_assignment("--set", text));
  for (const auto& text : wrap) {
    if (text.find('=') == std::string::npos) {
      all.emplace_back("wrap", text);
      continue;
    }
    const auto [dimension, value] = parse_assignment("--wrap", text);
    all.emplace_back(dimension + ".wrap", value);
  }
  if (!fail_link.empty()) all.emplace_back("fail-link", core::join(fail_link, " "));
  if (!fail_node.empty()) all.emplace_back("fail-node", core::join(fail_node, " "));
  if (!fail_router.empty()) all.emplace_back("fail-router", core::join(fail_router, " "));
  return all;
}

std::string MachineArguments::apply(const std::string& platform) const {
  refuse_swapped("PLATFORM", platform);
  const auto changes = properties();
  return changes.empty() ? platform : platforms::with_properties(platform, changes);
}

Options placement_options(cosim::Placement& o) {
  return placement_options_with(
      o, {"--alloc", o.alloc, common, "an allocator chooses the job's nodes (toroid list allocators)", setting});
}

Options placement_options_with(cosim::Placement& o, Option alloc) {
  excludes("--nodes")(alloc);
  return {
      Heading{"Placement"},
      {"--nodes", o.nodes, common, node_list(), setting_or("all"),
       "the job's nodes in their order: numbers such as 0-15,20, names such as nid[001-016], boxes such as (0-5,0,0) "
       "or z=0, or @FILE with any of these on its lines (default: all)"},
      std::move(alloc),
      {"--busy", o.busy, entry_of(cosim::busy_machines()), setting,
       "nodes that other jobs hold: a list such as 0-15,20, (0-5,0,0) or @FILE, as --nodes has; a share, drawn by the "
       "seed, such as random:0.7; or what the jobs of a log hold at a time, schedule:jobs=log.swf,at=3600s (toroid "
       "list busy)"},
      {"--ranks-per-node", o.ranks_per_node, common, whole(1, 1'000'000), setting,
       "ranks that share a node, up to its cores"},
  };
}

Options rank_file_options(RankFileArguments& o) {
  return {
      Heading{"Rank files"},
      {"-o,--output", o.output, common, output_file(), "write the mapping (- for standard output)"},
      {"--format", o.format, common, entry_of(mapping::rank_file_formats()),
       "format of the mapping: nodes (for --map), or that of a launcher (toroid list rankfiles)"},
      {"--hosts", o.hosts, common,
       "names of the hosts: {} is the node's number, {:05} with five digits; or a file with one a line, for all nodes "
       "of the machine or for those of the job in their order (default: the names of the machine's nodes, or node-{})"},
  };
}

RankFileArguments::Writer RankFileArguments::read() const {
  Writer writer{mapping::rank_file_formats().find(format).make, {}};
  if (!hosts.empty()) writer.hosts.emplace(hosts);
  return writer;
}

std::string RankFileArguments::Writer::text(const mapping::Machine& machine, std::span<const mapping::NodeId> slots,
                                            const mapping::Mapping& mapping) const {
  auto names = hosts ? *hosts : mapping::HostNames(machine);
  if (hosts) names.belong_to(machine, slots);
  return write({machine, slots, mapping, names});
}

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
