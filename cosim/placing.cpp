#include "cosim/placing.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/error.hpp"
#include "core/quantities.hpp"
#include "core/random.hpp"
#include "cosim/pictures.hpp"
#include "cosim/schedule.hpp"
#include "mapping/mapper.hpp"

namespace toroid::cosim {
namespace {

/// As many nodes as the share says, each choice equally likely.
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

 private:
  double share_ = 0;
};

const core::Parameter<double> at{"at", "when, since the beginning of the log", core::duration(), "0s"};

const core::OptionalParameter<workloads::JobsSource> jobs{
    "jobs",
    "the log or stream",
    {"jobs",
     [](std::string_view text, const core::Place&) -> std::optional<workloads::JobsSource> {
       return core::unwrap(text);
     }},
    "must be given"};
const core::Parameter<SchedulerChoice> scheduler{"scheduler", "see toroid list schedulers",
                                                 core::choice_in_parentheses<schedulers>("a scheduler"), "easy"};
const core::Parameter<alloc::AllocatorChoice> allocator{"alloc", "see toroid list allocators",
                                                        core::choice_in_parentheses<alloc::allocators>("an allocator"),
                                                        "consecutive"};

/// The nodes that jobs hold at a time, where a log or a stream of jobs runs on the machine.
class ScheduleBusy final : public Busy {
 public:
  explicit ScheduleBusy(const core::Arguments& arguments)
      : jobs_(arguments[jobs]),
        scheduler_(arguments[scheduler]),
        allocator_(arguments[allocator]),
        at_(arguments[at]) {
    if (!jobs_) core::fail_input("'{}': expected the key jobs, a log or a stream", arguments.spec().text());
  }

  Allocation nodes(const Machine& machine, std::uint64_t seed) const override {
    const auto log = jobs_->open(workloads::Reading::strict, seed);
    SnapshotObserver snapshot({at_});
    ScheduleRequest request{machine, *log, scheduler_, allocator_};
    request.seed = seed;
    request.observers = {&snapshot};
    run_schedule(request);
    Allocation nodes;
    const auto snapshots = snapshot.finish();
    for (const auto& holder : snapshots[0].holders) nodes.insert(nodes.end(), holder.nodes.begin(), holder.nodes.end());
    return nodes;
  }

 private:
  std::optional<workloads::JobsSource> jobs_;
  SchedulerChoice scheduler_;
  alloc::AllocatorChoice allocator_;
  double at_;
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
std::unique_ptr<Busy> make(const core::Arguments& arguments) {
  return std::make_unique<B>(arguments);
}

}  // namespace

const core::Registry<MakeBusy>& busy_machines() {
  static const core::Registry<MakeBusy> registry(
      "busy machine", {{"random", "so large a share of the nodes, by the seed", make<RandomBusy>, {}, "SHARE"},
                       {"schedule",
                        "what jobs hold at a time (toroid schedule); those with keys of their own stand in parentheses",
                        make<ScheduleBusy>,
                        {jobs, at, scheduler, allocator}}});
  return registry;
}

std::unique_ptr<Busy> make_busy(const std::string& text) {
  // Nodes are 5 or n5.
  const auto number = text.starts_with('n') ? 1U : 0U;
  if (text.find_first_of("0123456789") == number) return std::make_unique<ListedBusy>(text);
  return busy_machines().make(text);
}

namespace {

void check_busy(const Machine& machine, std::span<const NodeId> busy) {
  std::unordered_set<NodeId> seen;
  for (const NodeId node : busy) {
    if (node < 0 || node.value() >= machine.node_count() || !machine.computes(node))
      core::fail_input("busy nodes: found node {}, expected one of {} that computes", node, machine.name());
    if (!seen.insert(node).second) core::fail_input("busy nodes: node {} is given twice", node);
  }
}

}  // namespace

Allocation allocate(const Machine& machine, const alloc::AllocatorChoice& allocator, std::span<const NodeId> busy,
                    std::int32_t nodes, std::uint64_t seed) {
  check_busy(machine, busy);
  netsim::Clock clock;
  alloc::FreeNodes free(machine);
  free.take(busy);
  const auto made = allocator.make(alloc::Site{free, nullptr, seed, &clock});
  std::optional<Allocation> found;
  if (nodes <= free.count())
    made->allocate({.job = 1, .nodes = nodes}, [&](std::optional<Allocation> answer) { found = std::move(answer); });
  clock.run();
  if (!found)
    core::fail_input("allocator '{}' has no {} nodes for the job on {}, where {} are free", allocator.text(), nodes,
                     machine.name(), free.count());
  return *found;
}

}  // namespace toroid::cosim
