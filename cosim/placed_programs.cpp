#include "cosim/placed_programs.hpp"

#include <algorithm>

#include "cosim/placing.hpp"
#include "mapping/slots.hpp"
#include "netsim/run.hpp"
#include "workloads/repeated_trace.hpp"

namespace toroid::cosim {
namespace {

/// What is kept for jobs to come, at most; then all is forgotten, so that memory does not grow with the jobs.
constexpr std::size_t traces_kept = 256;
constexpr std::size_t known_kept = 1U << 16U;

bool shares_fairly(const std::string& engine, const Machine& machine) {
  netsim::Clock clock;
  return netsim::engines().make(engine, machine, clock)->why_not_shared().empty();
}

}  // namespace

LoadedTrace::LoadedTrace(std::string trace_text, const netsim::ReplayOptions& replay)
    : text(std::move(trace_text)), trace(workloads::open_trace(text)), traffic(*trace, replay.collectives) {
  workloads::Operation operation;
  for (const auto rank : core::ids<workloads::Rank>(trace->ranks()))
    if (trace->open(rank)->next(operation)) ++busy_ranks;
}

PlacedPrograms::PlacedPrograms(const ProgramOptions& options, const Machine& machine, std::string engine,
                               std::uint64_t seed)
    : options_(options),
      machine_(machine),
      engine_(std::move(engine)),
      seed_(seed),
      programs_(options.rules, seed),
      mapper_(mapping::make_mapper(options.map)),
      symmetry_(machine, shares_fairly(engine_, machine)) {}

std::shared_ptr<const LoadedTrace> PlacedPrograms::load(const std::string& text) {
  if (loaded_.size() >= traces_kept && !loaded_.contains(text)) loaded_.clear();
  auto& known = loaded_[text];
  if (!known) known = std::make_shared<const LoadedTrace>(text, options_.replay);
  return known;
}

netsim::Mapping PlacedPrograms::map(const LoadedTrace& loaded, std::span<const platforms::NodeId> nodes,
                                    JobId id) const {
  const auto slots = mapping::slots_on(nodes, options_.ranks_per_node);
  const mapping::Program program{*loaded.trace, options_.replay};
  const auto seed = seed_ + static_cast<std::uint64_t>(id);
  return mapping::make_mapping(*mapper_, {machine_, slots, loaded.traffic, seed, &program});
}

std::optional<PlacedProgram> PlacedPrograms::place(const Worker::Start& start) {
  const auto program = programs_.of(start.job, start.id);
  const auto loaded = load(program.trace);
  const double rounds =
      program.rounds == Program::logged ? logged_rounds(loaded, start.job) : static_cast<double>(program.rounds);
  if (rounds <= 0) return std::nullopt;
  return PlacedProgram{loaded, map(*loaded, start.nodes, start.id), rounds};
}

/// How many rounds the logged run time holds, on a compact set of nodes; 0 if a round takes no time.
double PlacedPrograms::logged_rounds(const std::shared_ptr<const LoadedTrace>& loaded, const workloads::Job& job) {
  const auto nodes = allocate(machine_, options_.reference, {}, job.size, seed_);
  const double round = alone({loaded, map(*loaded, nodes, 0), 1}, 1).seconds;
  return round > 0 ? std::max(1.0, job.run_time / round) : 0;
}

const Alone& PlacedPrograms::alone(const PlacedProgram& program, std::uint64_t rounds) {
  if (known_.size() >= known_kept) known_.clear();
  const auto [known, is_new] = known_.try_emplace(symmetry_.form({{program.placed(std::to_string(rounds))}}).key);
  if (is_new) {
    const workloads::RepeatedTrace trace(*program.loaded->trace, rounds);
    const auto result = netsim::run_in_process({machine_, trace, program.mapping, options_.replay, engine_});
    known->second = {result.runtime, result, result.max_link_load()};
  }
  return known->second;
}

}  // namespace toroid::cosim
