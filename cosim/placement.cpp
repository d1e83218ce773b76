#include "toroid/cosim/placement.hpp"

#include <cmath>

#include "core/blame.hpp"
#include "core/random.hpp"
#include "core/units.hpp"
#include "cosim/pictures.hpp"
#include "cosim/placed_jobs.hpp"
#include "platforms/names.hpp"
#include "toroid/cosim/schedule.hpp"

namespace toroid::cosim {

std::vector<JobDescription> Busy::neighbours(const Machine& /*machine*/, std::uint64_t /*seed*/) const {
  return {};
}

std::vector<NodeId> Placement::taken(const platforms::Machine& machine, std::uint64_t seed) const {
  if (!busy) return {};
  return core::in_context("--busy", [&] { return (*busy)->nodes(machine, seed); });
}

bool Placement::has_neighbours() const {
  return busy && (*busy)->has_programs();
}

std::vector<JobDescription> Placement::neighbours(const platforms::Machine& machine, std::uint64_t seed) const {
  if (!busy) return {};
  return core::in_context("--busy", [&] { return (*busy)->neighbours(machine, seed); });
}

bool Placement::has_drawn_order(const platforms::Machine& machine) const {
  // A random allocator with a seed of its own draws, too.
  return alloc && (traits_of(*alloc, machine).uses_seed || alloc->text().find("random") != std::string::npos);
}

std::set<std::string> Placement::lots(const platforms::Machine& machine) const {
  std::set<std::string> names;
  if (alloc && traits_of(*alloc, machine).uses_seed) names.insert("nodes of " + alloc->text());
  if (busy && core::in_context("--busy", [&] { return (*busy)->uses_seed(machine); })) names.insert("busy nodes");
  return names;
}

std::vector<NodeId> Placement::wanted(const platforms::Machine& machine, const std::vector<NodeId>& taken) const {
  auto wanted = nodes.empty() ? mapping::all_nodes(machine) : mapping::parse_nodes(nodes, machine);
  const std::set<NodeId> busy_nodes(taken.begin(), taken.end());
  for (const NodeId node : wanted)
    if (!nodes.empty() && busy_nodes.contains(node)) core::fail_input("--nodes: node {} is busy", node);
  std::erase_if(wanted, [&](NodeId node) { return busy_nodes.contains(node); });
  return wanted;
}

Placement::Slots Placement::slots_on(const platforms::Machine& machine, std::uint64_t seed) const {
  core::in_context("--ranks-per-node", [&] { mapping::check_ranks_per_node(machine, ranks_per_node); });
  if (has_neighbours())
    core::fail_input("--busy: found the key program; neighbours run in toroid simulate alone, expected their nodes");
  auto taken_nodes = taken(machine, seed);
  if (!alloc)
    return [slots = mapping::slots_on(wanted(machine, taken_nodes), ranks_per_node)](std::int32_t) { return slots; };
  return [&machine, seed, taken_nodes = std::move(taken_nodes), per_node = ranks_per_node,
          allocator = *alloc](std::int32_t ranks) {
    const auto found = core::in_context(
        "--alloc", [&] { return allocate(machine, allocator, taken_nodes, (ranks - 1) / per_node + 1, seed); });
    return mapping::slots_on(found, per_node);
  };
}

namespace {

/// A share of the nodes is busy; each choice of that many nodes is equally likely.
class RandomBusy final : public Busy {
 public:
  explicit RandomBusy(const core::Arguments& arguments) {
    const auto& text = arguments.spec().argument();
    share_ = core::real(0, 1).read(text, {arguments.spec(), "share"});
  }

  Allocation nodes(const Machine& machine, std::uint64_t seed) const override {
    Allocation nodes(machine.compute_nodes().begin(), machine.compute_nodes().end());
    core::Random(seed, "busy").shuffle(nodes);
    nodes.resize(static_cast<std::size_t>(std::llround(share_ * static_cast<double>(nodes.size()))));
    return nodes;
  }
  bool uses_seed(const Machine&) const override { return true; }

 private:
  double share_ = 0;
};

const core::Parameter<jobs::When> at{"at", "when, since the beginning of the log, or by its date", jobs::when_type(),
                                     "0s"};

const core::OptionalParameter<jobs::JobsSource> jobs{
    "jobs",
    "the log or stream",
    {"jobs",
     [](std::string_view text, const core::Place&) -> std::optional<jobs::JobsSource> { return core::unwrap(text); }},
    "must be given"};
const core::Parameter<SchedulerChoice> scheduler{"scheduler", "see toroid list schedulers",
                                                 core::choice_in_parentheses<schedulers>("a scheduler"), "easy"};
const core::Parameter<alloc::AllocatorChoice> allocator{"alloc", "see toroid list allocators",
                                                        core::choice_in_parentheses<alloc::allocators>("an allocator"),
                                                        "consecutive"};

const core::OptionalParameter<Programs> program{
    "program",
    "what these jobs run, on the network of the job beside them: a program as --program of schedule has it",
    {"a program in parentheses",
     [](std::string_view text, const core::Place&) -> std::optional<Programs> {
       return Programs{std::string(core::unwrap(text))};
     }},
    "none: they send nothing"};

/// The nodes that jobs hold at a time, where a log or a stream of jobs runs on the machine.
class ScheduleBusy final : public Busy {
 public:
  explicit ScheduleBusy(const core::Arguments& arguments)
      : jobs_(arguments[jobs]),
        scheduler_(arguments[scheduler]),
        allocator_(arguments[allocator]),
        programs_(arguments[program]),
        at_(arguments[at]) {
    if (!jobs_) core::fail_input("'{}': expected the key jobs, a log or a stream", arguments.spec().text());
  }

  Allocation nodes(const Machine& machine, std::uint64_t seed) const override {
    Allocation nodes;
    for (const auto& holder : holders(machine, seed))
      nodes.insert(nodes.end(), holder.nodes.begin(), holder.nodes.end());
    return nodes;
  }
  bool uses_seed(const Machine& machine) const override {
    return jobs_->open(jobs::Reading::strict, 1)->uses_seed() || traits_of(allocator_, machine).uses_seed ||
           (programs_ && programs_->draws_lots());
  }
  bool has_programs() const override { return programs_.has_value(); }
  std::vector<JobDescription> neighbours(const Machine& machine, std::uint64_t seed) const override {
    std::vector<JobDescription> all;
    if (!programs_) return all;
    alloc::Measure measure(machine);
    for (const auto& holder : holders(machine, seed)) {
      const auto box = measure.all(holder.nodes).box;
      const auto sides = std::span(box).first(machine.grid().dimension_count());
      const workloads::TraceSource trace(programs_->of(holder.job, holder.id, seed, sides).trace);
      const bool is_alone = trace.open()->ranks() == 1;  // sends nothing, and may take no time
      all.push_back({.name = "neighbour " + holder.name,
                     .trace = trace,
                     .held = holder.nodes,
                     .map = "quick",
                     .seed = seed + static_cast<std::uint64_t>(holder.id),
                     .rounds = is_alone ? 1 : netsim::until_end});
    }
    return all;
  }

 private:
  std::vector<Holder> holders(const Machine& machine, std::uint64_t seed) const {
    const auto log = jobs_->open(jobs::Reading::strict, seed);
    SnapshotObserver snapshot({jobs::since_beginning(at_, *log, "busy machine: at")});
    ScheduleRequest request{machine, *log, scheduler_, allocator_};
    request.seed = seed;
    request.observers = {&snapshot};
    run_schedule(request);
    return snapshot.finish()[0].holders;
  }

  std::optional<jobs::JobsSource> jobs_;
  SchedulerChoice scheduler_;
  alloc::AllocatorChoice allocator_;
  std::optional<Programs> programs_;
  jobs::When at_;
};

class ListedBusy final : public Busy {
 public:
  explicit ListedBusy(std::string list) : list_(std::move(list)) {}
  Allocation nodes(const Machine& machine, std::uint64_t) const override {
    return mapping::parse_nodes(list_, machine);
  }

 private:
  std::string list_;
};

template <class B>
std::unique_ptr<Busy> make_busy(const core::Arguments& arguments) {
  return std::make_unique<B>(arguments);
}

}  // namespace

const core::Registry<MakeBusy>& busy_machines() {
  static const core::Registry<MakeBusy> registry(
      "busy machine", {{"random", "so large a share of the nodes, by the seed", make_busy<RandomBusy>, {}, "SHARE"},
                       {"schedule",
                        "what jobs hold at a time (toroid schedule); those with keys of their own stand in parentheses",
                        make_busy<ScheduleBusy>,
                        {jobs, at, scheduler, allocator, program}}});
  return registry;
}

std::shared_ptr<const Busy> BusyChoice::source(const std::string& text) {
  if (platforms::is_node_list(text, busy_machines().names())) return std::make_shared<ListedBusy>(text);
  return busy_machines().make(text);
}

}  // namespace toroid::cosim
