#include "core/interrupt.hpp"

#include <catch2/catch.hpp>
#include <csignal>

#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::mapping {
namespace {

/// Is interrupted by its user when the fourth stream is opened.
class InterruptedTrace final : public workloads::ForwardedTrace {
 public:
  using ForwardedTrace::ForwardedTrace;
  std::unique_ptr<workloads::OperationStream> open(workloads::Rank rank) const override {
    if (++opened_ == 4) std::raise(SIGINT);
    return ForwardedTrace::open(rank);
  }
  std::int32_t opened() const { return opened_; }

 private:
  mutable std::int32_t opened_ = 0;
};

TEST_CASE("Every search that an interrupt ends gives a mapping, however long it was to go on") {
  const auto machine = platforms::make_machine("torus:4x4x4");
  const auto trace = workloads::open_trace("stencil:grid=4x4x4,bytes=64KiB");
  const Traffic traffic(*trace, {});
  const Program program{*trace, {}};
  const MappingProblem problem{machine, all_nodes(machine), traffic, 1, &program};
  for (const char* mapper :
       {"anneal:sweeps=100000000", "tabu:iterations=1000000000000", "minmaxload:visits=1000000000000",
        "grasp:iterations=1000000", "multilevel:tries=1000000,sweeps=100000000", "refine:base=random", "gsearch",
        "auto:budget=1000000", "simulated:runs=1000000000,candidates=1000000"}) {
    CAPTURE(mapper);
    const core::Interruptible interruptible;
    std::raise(SIGINT);
    REQUIRE(core::is_interrupted());
    CHECK_NOTHROW(check_mapping(make_mapping(mapper, problem), problem, mapper));
  }
}

TEST_CASE("auto says that it was interrupted before it simulated anything") {
  const auto machine = platforms::make_machine("torus:4x4");
  const auto trace = workloads::open_trace("ft:class=S,ranks=16,iterations=1");
  const Traffic traffic(*trace, {});
  const Program program{*trace, {}};
  std::vector<std::string> notes;
  const MappingProblem problem{machine, all_nodes(machine), traffic, 1, &program, &notes};
  const core::Interruptible interruptible;
  std::raise(SIGINT);
  make_mapping("auto", problem);
  REQUIRE(notes.size() == 2);  // the first candidate, which was taken
  CHECK(notes[1].ends_with(": the user did not wait for another"));
}

TEST_CASE("An interrupt ends a run while its ranks start, and the adding up of messages before it") {
  const auto machine = platforms::make_machine("mesh:64");
  const auto trace = workloads::open_trace("stencil:grid=64");
  const auto opened_until_interrupted = [&](auto work) {
    const InterruptedTrace interrupted(*trace);
    const auto before = std::signal(SIGINT, [](int) {});
    {
      const core::Interruptible interruptible(core::Interruptible::Ends::runs);
      CHECK_THROWS_AS(work(interrupted), core::Interrupted);
    }
    std::signal(SIGINT, before);
    return interrupted.opened();
  };
  CHECK(opened_until_interrupted([&](const workloads::Trace& one) {
          netsim::run({machine, one, netsim::Mapping(all_nodes(machine)), {}, "fluid"});
        }) == 4);
  CHECK(opened_until_interrupted([&](const workloads::Trace& one) { Traffic(one, {}).matrix(); }) == 4);
}

}  // namespace
}  // namespace toroid::mapping
