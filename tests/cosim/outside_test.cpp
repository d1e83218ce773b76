// Schedulers that are not ours: what is wrong with their answers is said.

#include <catch2/catch.hpp>

#include "cosim/run_times/modelled.hpp"
#include "cosim/schedulers/outside_scheduler.hpp"
#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::cosim {
namespace {

/// Says what it is told to, and hears nothing.
class Saying : public Scheduler {
 public:
  explicit Saying(std::function<std::optional<Start>(const View&)> say) : say_(std::move(say)) {}
  void submitted(const Queued&) override {}
  std::optional<Start> next(const View& view) override { return say_(view); }
  void refused(JobId) override {}
  void started(JobId, std::int32_t, const Time&) override {}
  void resized(JobId, std::int32_t, const Time&) override {}
  void ended(HolderId, const Time&) override {}
  void node_out(NodeId, const Time&, const Time&) override {}
  void freed() override {}
  void withdrawn(JobId) override {}

 private:
  std::function<std::optional<Start>(const View&)> say_;
};

/// The error of a run of two jobs that want all four nodes of a machine, each for 10 s.
std::string fault(std::function<std::optional<Start>(const View&)> say) {
  const auto machine = platforms::make_machine("mesh:4");
  const ListedJobs jobs({job(1, 0, 4, 10), job(2, 0, 4, 10)});
  netsim::Clock clock;
  Logged logged(clock);
  alloc::FreeNodes free(machine);
  const auto allocator = alloc::allocators().make("consecutive", alloc::Site{free});
  const auto scheduler = checked_scheduler("mine", std::make_unique<Saying>(std::move(say)));
  return test::error_of([&] { Loop({jobs, *scheduler, free, *allocator, clock, logged, {}}, {}).run(); });
}

TEST_CASE("A wrong answer of somebody's scheduler is an error that names it") {
  CHECK(fault([next = JobId{0}](const View& view) mutable {
          return view.free == 4 && next < 2 ? std::optional(Start{++next}) : std::nullopt;
        }).empty());
  CHECK(fault([](const View&) { return Start{3}; }) ==
        "scheduler 'mine': starts job 3: it does not wait; expected a job that does");
  CHECK(fault([](const View&) { return Start{-5}; }) ==
        "scheduler 'mine': starts job -5: it does not wait; expected a job that does");
  CHECK(fault([](const View&) { return Start{1}; }) ==  // again, while it runs
        "scheduler 'mine': starts job 1: it does not wait; expected a job that does");
  CHECK(fault([](const View& view) { return Start{view.free == 4 ? 1 : 2}; }) ==
        "scheduler 'mine': starts job 2: it was refused 100 times, and nothing has happened since; expected another "
        "job, or none");
  const NodeId kept = 0;
  CHECK(fault([&](const View&) {
          return Start{1, {&kept, 1}};
        }) ==
        "scheduler 'mine': starts job 1: found kept or reserved nodes, expected none where the outlook is not known");
  CHECK_THROWS_AS(checked_scheduler("mine", nullptr), core::InputError);
}

TEST_CASE("A scheduler may ask whose jobs wait, which nodes they would get and what nodes would cost") {
  std::vector<Queued> seen;
  class Looking final : public Saying {
   public:
    explicit Looking(std::vector<Queued>& seen) : Saying({}), seen_(seen) {}
    void submitted(const Queued& job) override { seen_.push_back(job); }
    std::optional<Start> next(const View& view) override {
      asked = view.placements;
      if (at_ == seen_.size()) return std::nullopt;
      const auto job = seen_[at_++];
      nodes = *asked->nodes_for(job.id);
      const std::vector<NodeId> row{0, 1, 2, 3};
      near = asked->cost(job.id, nodes);
      far = asked->cost(job.id, row);
      CHECK(asked->free().all().size() == 16);
      CHECK(test::error_of([&] {
              asked->cost(job.id, std::vector<NodeId>{0, 0, 1, 2});
            }) == "job 77: found 4 nodes to ask the cost of, expected 4 of mesh:4x4 that compute, each once");
      CHECK_THROWS_AS(asked->cost(job.id, std::vector<NodeId>{0, 1, 2, 16}), core::InputError);
      CHECK_THROWS_AS(asked->cost(job.id, std::vector<NodeId>{0, 1, 2}), core::InputError);
      CHECK(test::error_of([&] { asked->nodes_for(9); }) == "job 9: does not wait; expected a job that does");
      return Start{job.id};
    }

    Placements* asked = nullptr;
    Allocation nodes;
    double near = 0, far = 0;

   private:
    std::vector<Queued>& seen_;
    std::size_t at_ = 0;
  };
  const auto machine = platforms::make_machine("mesh:4x4");
  auto one = job(77, 0, 4, 10);
  one.notes.user = 3;
  one.notes.queue = 2;
  const ListedJobs jobs({one});
  alloc::FreeNodes free(machine);
  const auto allocator = alloc::allocators().make("mc1x1", alloc::Site{free});
  netsim::Clock clock;
  ProgramOptions options;
  options.rules = {"stencil:grid=2x2"};
  options.communication = 1;  // each job's share is 1 then
  PlacedPrograms programs(options, machine, netsim::fast_engine, 1);
  Modelled modelled(programs, clock, 1);
  Looking looking(seen);
  Loop({jobs, looking, free, *allocator, clock, modelled, {}}, {}).run();
  CHECK(seen[0].name == "77");
  CHECK(seen[0].notes.user == 3);
  CHECK(seen[0].notes.queue == 2);
  // The reference has a square of four, whose ring of messages shares no link. On a row at least two of them cross each
  // link in each direction, as they do any cut through a ring.
  CHECK(looking.near == Approx(1));
  CHECK(looking.far == Approx(2));
  CHECK(looking.nodes.size() == 4);
}

TEST_CASE("Our own schedulers pass the check of others, and decide the same") {
  for (const auto& entry : schedulers().entries()) {
    const auto machine = platforms::make_machine("mesh:4x4");
    const ListedJobs jobs(random_jobs(3, 200, 16));
    const auto ended = [&](std::unique_ptr<Scheduler> scheduler) {
      netsim::Clock clock;
      Logged logged(clock);
      alloc::FreeNodes free(machine);
      const auto allocator = alloc::allocators().make("submesh", alloc::Site{free});
      Records records;
      Options options;
      options.too_large = Options::TooLarge::reject;
      Loop({jobs, *scheduler, free, *allocator, clock, logged, {&records}}, options).run();
      std::vector<double> times;
      for (const auto& [number, end] : records.by_number) times.push_back(end.ended);
      return times;
    };
    const auto make = [&] { return schedulers().make(entry.name); };
    CAPTURE(std::string(entry.name));
    CHECK(ended(checked_scheduler("ours", make())) == ended(make()));
  }
}

}  // namespace
}  // namespace toroid::cosim
