// What ranks wait for, by the purpose of the communicators: computed by hand, and as a part of their waits in random
// programs.

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/generators/generated_trace.hpp"

using namespace toroid;
using workloads::CommId;
using workloads::OpKind;

namespace {

/// Rank 0 computes for two seconds and sends 1 MB in a communicator for `activations`, computes for a second more, and
/// sends 2 MB in one for `gradients`. Rank 1 receives both at once. A barrier of the world, whose purpose is not told,
/// ends the program.
class TwoPurposes final : public workloads::GeneratedTrace {
 public:
  TwoPurposes() : GeneratedTrace("two purposes", 2) {
    for (int i = 0; i < 2; ++i) add_communicator(workloads::Communicator::all(2));
  }
  bool step(workloads::Rank me, std::uint64_t step, std::vector<workloads::Operation>& out) const override {
    if (step > 2) return false;
    if (step == 2) {
      out.push_back({.kind = OpKind::barrier});
    } else if (me == 0) {
      out.push_back({.kind = OpKind::compute, .amount = step == 0 ? 2e9 : 1e9});
      out.push_back({.kind = OpKind::send, .comm = comms[step], .to = 1, .bytes = 1'000'000 * (step + 1)});
    } else {
      out.push_back({.kind = OpKind::recv, .comm = comms[step], .from = 0, .bytes = 1'000'000 * (step + 1)});
    }
    return true;
  }
  std::string_view purpose(CommId comm) const override {
    return comm == comms[0] ? "activations" : comm == comms[1] ? "gradients" : "";
  }

 private:
  static constexpr CommId comms[] = {1, 2};
};

/// A program whose communicators with odd numbers are for `odd`.
class OddOnes final : public workloads::ForwardedTrace {
 public:
  using ForwardedTrace::ForwardedTrace;
  std::string_view purpose(CommId comm) const override { return comm.value() % 2 == 1 ? "odd" : ""; }
};

netsim::Result run_exposed(const std::string& platform, const workloads::Trace& trace, std::uint64_t eager = 65536) {
  const auto machine = platforms::make_machine(platform);
  netsim::Mapping mapping;
  for (const auto node : core::ids<platforms::NodeId>(trace.ranks())) mapping.add(node);
  netsim::ReplayOptions options{.compute_scale = 1};
  options.eager_threshold = eager;
  return netsim::run({machine, trace, mapping, options, "fluid"});
}

/// All that ranks were blocked for, and what of it has a purpose or none.
struct Sums {
  netsim::Blocked all, told;
};

Sums sums_of(const netsim::Result& result) {
  Sums sums;
  for (const auto& rank : result.ranks) {
    sums.all.transfer += rank.transfer;
    sums.all.wait += rank.wait;
  }
  for (const auto& [purpose, blocked] : result.exposed) {
    sums.told.transfer += blocked.transfer;
    sums.told.wait += blocked.wait;
  }
  return sums;
}

}  // namespace

TEST_CASE("Waits are told by the purpose of what ended them") {
  // Both messages are larger than the eager threshold: each takes 1 us and its bytes, and its sender waits as long.
  const auto result = run_exposed("mesh:2,bw=1GBps,lat=1us,speed=1Gf", TwoPurposes());
  REQUIRE(result.exposed.size() == 3);
  const auto check = [&](std::size_t i, const std::string& purpose, double transfer, double wait) {
    CAPTURE(i);
    CHECK(result.exposed[i].first == purpose);
    CHECK(result.exposed[i].second.transfer == Approx(transfer));
    CHECK(result.exposed[i].second.wait == Approx(wait).margin(1e-12));
  };
  check(0, "activations", 2 * (1e-3 + 1e-6), 2);
  check(1, "gradients", 2 * (2e-3 + 1e-6), 1);
  check(2, "", 2 * 1e-6, 0);  // the barrier
}

TEST_CASE("Waits by purpose add up to the waits of all ranks, in random programs and in trainings") {
  int with_both = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    core::Random random(seed, "exposed");
    const auto trace = workloads::random_program(
        random, {.ranks = 6, .events = 60, .all_kinds = seed % 2 == 0, .puts = true, .empty = seed % 3 == 0});
    const auto result = run_exposed("torus:3x2,speed=1Gf", OddOnes(*trace), seed % 4 == 0 ? 100 : 65536);
    if (result.exposed.empty()) continue;
    const auto [all, told] = sums_of(result);
    CHECK(told.transfer == Approx(all.transfer).epsilon(1e-9));
    CHECK(told.wait == Approx(all.wait).epsilon(1e-9));
    CHECK(result.exposed.front().first == "odd");
    with_both += result.exposed.size() == 2 ? 1 : 0;
  }
  CHECK(with_both > 20);
  const auto result =
      run_exposed("torus:4x4x4,bw=10GBps,speed=50Tf",
                  *workloads::open_trace("llm:model=mixtral-8x7b,layers=4,tensor=2,context=2,data=4,expert=2,"
                                         "fsdp=2,pipeline=4,micro-batches=4"));
  std::vector<std::string> purposes;
  for (const auto& [purpose, blocked] : result.exposed) purposes.push_back(purpose);
  CHECK(purposes == std::vector<std::string>{"context", "data", "expert", "fsdp", "norm", "pipeline", "tensor"});
  const auto [all, told] = sums_of(result);
  CHECK(told.transfer == Approx(all.transfer).epsilon(1e-9));
  CHECK(told.wait == Approx(all.wait).epsilon(1e-9));
}

TEST_CASE("Programs that say no purposes tell none") {
  CHECK(run_exposed("mesh:2", *test::trace_of("0 send 1 0 9 6\n1 recv 0 0 9 6\n")).exposed.empty());
}
