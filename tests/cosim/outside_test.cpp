// Schedulers that are not ours: what is wrong with their answers is said.

#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "cosim/schedulers/outside_scheduler.hpp"
#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"

namespace toroid::cosim {
namespace {

/// Says what it is told to, and hears nothing.
class Saying final : public Scheduler {
 public:
  explicit Saying(std::function<std::optional<Start>(const View&)> say) : say_(std::move(say)) {}
  void submitted(const Queued&) override {}
  std::optional<Start> next(const View& view) override { return say_(view); }
  void refused(JobId) override {}
  void started(JobId, std::int32_t, const Time&) override {}
  void resized(JobId, std::int32_t, const Time&) override {}
  void ended(JobId, const Time&) override {}
  void node_out(JobId, const Time&, const Time&) override {}
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
