#include "cosim/replayed.hpp"

#include "core/error.hpp"
#include "netsim/run.hpp"

namespace toroid::cosim {
namespace {

/// What is kept for jobs to come, at most; then all is forgotten, so that memory does not grow with the jobs.
constexpr std::size_t programs_kept = 256;
constexpr std::size_t placed_kept = 1U << 16U;

End end_of(netsim::End how) {
  switch (how) {
    case netsim::End::done:
      return End::done;
    case netsim::End::killed:
      return End::killed;
    case netsim::End::failed:
      break;
  }
  return End::failed;
}

}  // namespace

Replayed::Program::Program(std::string program_text, const netsim::ReplayOptions& replay)
    : text(std::move(program_text)), trace(workloads::open_trace(text)), traffic(*trace, replay.collectives) {}

Replayed::Replayed(const ReplayedJobs& how, netsim::Network& network, std::string engine, std::uint64_t seed)
    : how_(how),
      network_(network),
      engine_(std::move(engine)),
      seed_(seed),
      programs_(how.programs, seed),
      mapper_(mapping::make_mapper(how.map)),
      simulation_(network, netsim::Simulation::OnFailure::go_on) {
  simulation_.on_end([this](netsim::Simulation::JobEnd ended) { end(std::move(ended)); });
}

std::shared_ptr<const Replayed::Program> Replayed::program(const std::string& text) {
  if (known_programs_.size() >= programs_kept && !known_programs_.contains(text)) known_programs_.clear();
  auto& known = known_programs_[text];
  if (!known) known = std::make_shared<const Program>(text, how_.replay);
  return known;
}

netsim::Mapping Replayed::mapping(const Program& program, const Start& start) const {
  std::vector<platforms::NodeId> slots;
  for (const auto node : start.nodes) slots.insert(slots.end(), static_cast<std::size_t>(how_.ranks_per_node), node);
  const mapping::Program placed{*program.trace, how_.replay};
  const auto seed = seed_ + static_cast<std::uint64_t>(start.id);
  return mapping::make_mapping(*mapper_, {network_.machine(), slots, program.traffic, seed, &placed});
}

void Replayed::start(const Start& start, Ended ended) {
  auto of_job = program(programs_.of(start.job, start.id));
  auto nodes = mapping(*of_job, start);
  const auto id = simulation_.add({of_job->trace.get(), nodes, how_.replay, network_.clock().now()});
  if (start.limit < Time::never()) simulation_.kill(id, start.limit);
  running_.emplace(id, Running{std::move(of_job), std::move(nodes), std::move(ended)});
}

void Replayed::end(netsim::Simulation::JobEnd ended) {
  const auto job = running_.extract(ended.job);
  const auto& running = job.mapped();
  Work work{.program = running.program->text,
            .complaint = std::move(ended.complaint),
            .traffic = ended.report,
            .critical_path = ended.report.critical_path};
  if (how_.alone && ended.how == netsim::End::done) {
    const auto& known = placed(running);
    work.alone = known.alone;
    work.max_link_load = known.max_link_load;
  }
  running.ended(end_of(ended.how), std::move(work));
}

/// The same replay on an empty machine.
const Replayed::Placed& Replayed::placed(const Running& job) {
  if (known_placed_.size() >= placed_kept) known_placed_.clear();
  const auto [known, is_new] = known_placed_.try_emplace({job.program->text, job.mapping.elements()});
  if (is_new) {
    const auto& machine = network_.machine();
    const auto result = netsim::run_in_process({machine, *job.program->trace, job.mapping, how_.replay, engine_});
    known->second = {result.runtime, result.max_link_load()};
  }
  return known->second;
}

}  // namespace toroid::cosim
