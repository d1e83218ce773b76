#include "cosim/run_times/placed_programs.hpp"

#include "cosim/placed_jobs.hpp"
#include "workloads/amounts.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::cosim {
namespace {

/// What is kept for jobs to come, at most; then all is forgotten, so that memory does not grow with the jobs.
constexpr std::size_t traces_kept = 256;
constexpr std::size_t known_kept = 1U << 16U;
constexpr std::size_t exchanges_kept = 1U << 12U;

bool sends_alike(const workloads::CommunicationMatrix& matrix) {
  const auto& rows = matrix.rows.elements();
  return std::ranges::all_of(rows, [&](const auto& row) {
    return row.size() + 1 == rows.size() && std::ranges::all_of(row, [&](const auto& cell) {
             return cell.bytes == rows[0][0].bytes && cell.messages == rows[0][0].messages;
           });
  });
}

bool shares_fairly(const netsim::EngineChoice& engine, const Machine& machine) {
  netsim::Clock clock;
  return engine.make(machine, clock)->why_not_shared().empty();
}

}  // namespace

LoadedTrace::LoadedTrace(std::string trace_text, const Machine& machine, const netsim::ReplayOptions& replay)
    : text(std::move(trace_text)),
      trace(workloads::open_trace(text)),
      traffic(*trace, replay.collectives),
      computation(netsim::computation_use(*trace, workloads::computation_by_rank(*trace), machine, replay)) {
  is_uniform = sends_alike(traffic.matrix());
  workloads::Operation operation;
  for (const auto rank : core::ids<workloads::Rank>(trace->ranks()))
    if (trace->open(rank)->next(operation)) ++busy_ranks;
}

PlacedPrograms::PlacedPrograms(const ProgramOptions& options, const Machine& machine,
                               const netsim::EngineChoice& engine, std::uint64_t seed)
    : options_(options),
      machine_(machine),
      measure_(machine),
      engine_(engine),
      seed_(seed),
      mapper_(options.map.make()),
      symmetry_(machine, shares_fairly(engine_, machine)) {}

std::shared_ptr<const LoadedTrace> PlacedPrograms::load(const std::string& text) {
  if (loaded_.size() >= traces_kept && !loaded_.contains(text)) loaded_.clear();
  auto& known = loaded_[text];
  if (!known) known = std::make_shared<const LoadedTrace>(text, machine_, options_.replay);
  return known;
}

Program PlacedPrograms::program_on(std::span<const NodeId> nodes, const StartedJob& started) {
  const auto box = measure_.all(nodes).box;
  return options_.rules.of(started.job, started.id, seed_, std::span(box).first(machine_.grid().dimension_count()));
}

PlacedProgram PlacedPrograms::placed_on(std::span<const NodeId> nodes, const StartedJob& started, JobId id) {
  const auto program = program_on(nodes, started);
  const auto loaded = load(program.trace);
  const auto slots = mapping::slots_on(nodes, options_.ranks_per_node);
  const mapping::Program whole{*loaded->trace, options_.replay};
  const auto seed = seed_ + static_cast<std::uint64_t>(id);
  return {loaded,
          mapping::make_mapping(*mapper_, {machine_, slots, loaded->traffic, seed, &whole}),
          static_cast<double>(program.rounds),
          {}};
}

std::optional<PlacedProgram> PlacedPrograms::place(const StartedJob& started) {
  auto placed = placed_on(started.nodes, started, started.id);
  return placed.rounds == Program::logged ? as_logged(std::move(placed), started) : placed;
}

/// Gives a program the rounds that its logged run time holds on a compact set of nodes; nothing if a round takes no
/// time. The nodes that an allocator gives may change the program's grid, but not how many rounds it has.
std::optional<PlacedProgram> PlacedPrograms::as_logged(PlacedProgram program, const StartedJob& started) {
  auto reference = placed_on(reference_nodes(started.job.size), started, 0);
  reference.rounds = 1;
  const auto& round = alone(reference, 1);
  program.complaint = round.complaint;
  program.rounds = 1;
  if (!program.complaint.empty()) return program;
  if (round.seconds <= 0) return std::nullopt;
  program.rounds = std::max(1.0, started.job.run_time / round.seconds);
  return program;
}

const Alone& PlacedPrograms::alone(const PlacedProgram& program, std::uint64_t rounds) {
  if (known_.size() >= known_kept) known_.clear();
  const auto [known, is_new] = known_.try_emplace(symmetry_.form({{program.placed(std::to_string(rounds))}}).key);
  if (is_new) {
    const workloads::RepeatedTrace trace(*program.loaded->trace, rounds);
    try {
      const auto result = netsim::run_in_process({machine_, trace, program.mapping, options_.replay, engine_});
      known->second = {result.runtime, {}, result, result.loads.max_bytes};
    } catch (const core::SimulationError& error) {
      known->second.complaint = error.what();
    }
  }
  return known->second;
}

std::vector<LinkBytes> PlacedPrograms::links_of(const PlacedProgram& program, const Machine& machine) const {
  const auto& traffic = program.loaded->traffic;
  const auto placed = traffic.placed_matrix(machine_, program.mapping);
  const auto links = !placed && program.loaded->is_uniform ? links_of_uniform : cosim::links_of;
  return links(machine, placed ? *placed : traffic.matrix(), program.mapping, options_.replay.envelope);
}

std::vector<LinkTime> PlacedPrograms::link_times(const PlacedProgram& program, const Machine& machine) const {
  std::vector<LinkTime> times;
  for (const auto& [link, bytes, pairs] : links_of(program, machine))
    times.push_back({link, static_cast<double>(bytes) / machine.link_bandwidth(link), static_cast<double>(pairs)});
  return times;
}

const alloc::Allocation& PlacedPrograms::reference_nodes(std::int32_t size) {
  const auto [known, is_new] = reference_nodes_.try_emplace(size);
  if (is_new) known->second = allocate(machine_, options_.reference, {}, size, seed_);
  return known->second;
}

PlacedProgram PlacedPrograms::moved_to(std::span<const NodeId> nodes, const StartedJob& started,
                                       const std::string& trace) {
  // Its links carry the same in whichever order the ranks have the nodes.
  const auto loaded = load(trace);
  netsim::Mapping in_order(std::vector(nodes.begin(), nodes.end()));
  if (loaded->is_uniform && in_order.size() == loaded->traffic.matrix().rows.size() &&
      !loaded->traffic.placed_matrix(machine_, in_order))
    return {loaded, std::move(in_order), 1, {}};
  if (mapper_->uses_seed()) return placed_on(nodes, started, started.id);
  const auto& grid = machine_.grid();
  const auto first = grid.coordinates(machine_.router(nodes.front()));
  auto key = trace + ':';
  for (const auto node : nodes) {
    const auto at = grid.coordinates(machine_.router(node));
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      const auto& dimension = grid.dimension(d);
      auto apart = at[d] - first[d];
      if (dimension.wrap != platforms::Wrap::mesh && apart < 0) apart += dimension.extent;
      key.append(reinterpret_cast<const char*>(&apart), sizeof apart);
    }
  }
  if (orders_.size() >= exchanges_kept) orders_.clear();
  const auto [known, is_new] = orders_.try_emplace(std::move(key));
  auto& order = known->second;
  if (is_new) {
    auto placed = placed_on(nodes, started, started.id);
    std::unordered_map<NodeId::Value, std::uint32_t> places;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) places.emplace(nodes[i].value(), i);
    for (const auto node : placed.mapping.elements()) order.push_back(places.at(node.value()));
    return placed;
  }
  std::vector<NodeId> mapping;
  for (const auto place : order) mapping.push_back(nodes[place]);
  return {loaded, netsim::Mapping(std::move(mapping)), 1, {}};
}

std::shared_ptr<const Exchange> PlacedPrograms::exchange_on(std::span<const NodeId> nodes, const StartedJob& started) {
  if (exchanges_.size() >= exchanges_kept) exchanges_.clear();
  const auto trace = program_on(nodes, started).trace;
  auto key = fmt::format("{} {}:", trace, mapper_->uses_seed() ? started.id : 0);
  key.append(reinterpret_cast<const char*>(nodes.data()), nodes.size_bytes());
  auto& known = exchanges_[key];
  if (known) return known;
  auto exchange = std::make_shared<Exchange>(Exchange{moved_to(nodes, started, trace), {}, 0});
  exchange->links = link_times(exchange->placed, machine_);
  for (const auto& link : exchange->links) exchange->seconds = std::max(exchange->seconds, link.seconds);
  return known = std::move(exchange);
}

double PlacedPrograms::cost(const StartedJob& started) {
  const double reference = exchange_on(reference_nodes(started.job.size), started)->seconds;
  return reference > 0 ? exchange_on(started.nodes, started)->seconds / reference : 1;
}

Symmetry::Symmetry(const platforms::Machine& machine, bool at_all) : machine_(machine) {
  const auto& grid = machine.grid();
  if (!at_all || !machine.separable() || grid.has_exceptions()) return;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).wrap == platforms::Wrap::mesh && !grid.dimension(d).shared) movable_.push_back(d);
}

/// The least of all images.
Symmetry::Form Symmetry::form(std::span<const Placed> programs) const {
  auto least = image(programs, 0);
  for (std::size_t mirrored = 1; mirrored < std::size_t{1} << movable_.size(); ++mirrored)
    if (auto other = image(programs, mirrored); other.key < least.key) least = std::move(other);
  return least;
}

/// As near to the origin as it can be, after those of the movable dimensions are mirrored whose bits are set.
Symmetry::Form Symmetry::image(std::span<const Placed> programs, std::size_t mirrored) const {
  const auto& grid = machine_.grid();
  const auto place = [&](NodeId node) {
    auto at = grid.coordinates(machine_.router(node));
    for (std::size_t i = 0; i < movable_.size(); ++i)
      if ((mirrored >> i & 1U) != 0) at[movable_[i]] = grid.dimension(movable_[i]).extent - 1 - at[movable_[i]];
    return at;
  };
  platforms::Coordinates least{};
  for (const auto d : movable_) least[d] = std::numeric_limits<std::int32_t>::max();
  for (const auto& program : programs)
    for (const auto node : program.nodes) {
      const auto at = place(node);
      for (const auto d : movable_) least[d] = std::min(least[d], at[d]);
    }
  std::vector<std::string> parts;
  for (const auto& program : programs) {
    auto part = fmt::format("{} {} {}:", program.what.size(), program.what, program.nodes.size());
    for (const auto node : program.nodes) {
      auto at = place(node);
      for (const auto d : movable_) at[d] -= least[d];
      const auto router = grid.router_at(at);
      const auto moved =
          machine_.first_node(router).value() + node.value() - machine_.first_node(machine_.router(node)).value();
      part.append(reinterpret_cast<const char*>(&moved), sizeof moved);
    }
    parts.push_back(std::move(part));
  }
  Form form{{}, std::vector<std::size_t>(programs.size())};
  std::iota(form.order.begin(), form.order.end(), std::size_t{0});
  std::stable_sort(form.order.begin(), form.order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a] < parts[b]; });
  for (const auto i : form.order) form.key += parts[i];
  return form;
}

}  // namespace toroid::cosim
