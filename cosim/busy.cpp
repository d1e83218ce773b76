#include "cosim/busy.hpp"

#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "core/quantities.hpp"
#include "core/random.hpp"
#include "cosim/pictures.hpp"
#include "cosim/placing.hpp"
#include "cosim/schedule.hpp"
#include "jobs/jobs_source.hpp"
#include "jobs/when.hpp"
#include "mapping/mapper.hpp"
#include "platforms/node_names.hpp"

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

/// The nodes that jobs hold at a time, where a log or a stream of jobs runs on the machine.
class ScheduleBusy final : public Busy {
 public:
  explicit ScheduleBusy(const core::Arguments& arguments)
      : jobs_(arguments[jobs]), scheduler_(arguments[scheduler]), allocator_(arguments[allocator]), at_(arguments[at]) {
    if (!jobs_) core::fail_input("'{}': expected the key jobs, a log or a stream", arguments.spec().text());
  }

  Allocation nodes(const Machine& machine, std::uint64_t seed) const override {
    const auto log = jobs_->open(jobs::Reading::strict, seed);
    SnapshotObserver snapshot({jobs::since_beginning(at_, *log, "busy machine: at")});
    ScheduleRequest request{machine, *log, scheduler_, allocator_};
    request.seed = seed;
    request.observers = {&snapshot};
    run_schedule(request);
    Allocation nodes;
    const auto snapshots = snapshot.finish();
    for (const auto& holder : snapshots[0].holders) nodes.insert(nodes.end(), holder.nodes.begin(), holder.nodes.end());
    return nodes;
  }
  bool uses_seed(const Machine& machine) const override {
    return jobs_->open(jobs::Reading::strict, 1)->uses_seed() || cosim::uses_seed(machine, allocator_);
  }

 private:
  std::optional<jobs::JobsSource> jobs_;
  SchedulerChoice scheduler_;
  alloc::AllocatorChoice allocator_;
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
  if (platforms::is_node_list(text, busy_machines().names())) return std::make_unique<ListedBusy>(text);
  return busy_machines().make(text);
}

}  // namespace toroid::cosim
