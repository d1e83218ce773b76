#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::netsim {
namespace {

/// What a program costs with its ranks in order on the first nodes.
double work_of(const std::string& platform, const workloads::Trace& trace, const std::string& engine,
               const ReplayOptions& options = {}, double most = std::numeric_limits<double>::infinity()) {
  const auto machine = platforms::make_machine(platform);
  Mapping mapping;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) mapping.add(NodeId(rank));
  return run_counted({machine, trace, mapping, options, engine}, most).work;
}

/// A message of so many packets to the node so many hops away on a line.
double work_of_message(int packets, int hops) {
  std::string text = fmt::format("0 send {0} 0 {1} 6\n{0} recv 0 0 0 6\n", hops, packets * 100);
  for (int rank = 1; rank < 9; ++rank) text += fmt::format("{} compute 0\n", rank);
  return work_of("mesh:9", *test::trace_of(text), "packet:packet=100B,buffer=1KB");
}

TEST_CASE("Every link that a packet goes over costs as much") {
  for (const int packets : {1, 7, 20}) {
    const double of_a_link = work_of_message(packets, 2) - work_of_message(packets, 1);
    CHECK(of_a_link == packets * (work_of_message(1, 2) - work_of_message(1, 1)));
    CHECK(of_a_link > 0);
    for (const int hops : {3, 5, 8})
      CHECK(work_of_message(packets, hops) == work_of_message(packets, 1) + (hops - 1) * of_a_link);
  }
}

TEST_CASE("Work is the same in every run, and at least so much for each message that is simulated") {
  const auto trace = workloads::open_trace("stencil:grid=4x4,steps=300");
  const std::uint64_t messages = 300 * 48;
  for (const std::string engine : {"fluid", "packet", "simgrid"}) {
    CAPTURE(engine);
    ReplayOptions options;
    options.repeats = Repeats::off;
    const double work = work_of("torus:4x4", *trace, engine, options);
    CHECK(work >= least_work(messages));
    CHECK(work == work_of("torus:4x4", *trace, engine, options));
  }
  CHECK(work_of("torus:4x4", *trace, "fluid") < least_work(messages) / 3);  // its iterations repeat
}

TEST_CASE("Flows that meet on links cost more than flows that do not") {
  std::string together, apart, silent;
  for (int i = 0; i < 32; ++i) {
    together += fmt::format("{} isend {} 0 {} 6\n{} irecv {} 0 0 6\n", i, 63 - i, 1000 * (i + 1), 63 - i, i);
    apart += fmt::format("{} isend {} 0 {} 6\n{} irecv {} 0 0 6\n", 2 * i, 2 * i + 1, 1000 * (i + 1), 2 * i + 1, 2 * i);
  }
  for (auto* text : {&together, &apart})
    for (int i = 0; i < 64; ++i) *text += fmt::format("{} waitall 1\n", i);
  for (int i = 0; i < 64; ++i) silent += fmt::format("{} compute 0\n", i);
  const auto work = [](const std::string& text) { return work_of("mesh:64", *test::trace_of(text), "fluid"); };
  const double of_messages = work(silent) + least_work(32) - least_work(0);
  CHECK(work(apart) > of_messages);
  CHECK(work(together) - of_messages > 5 * (work(apart) - of_messages));
}

TEST_CASE("A run that takes more work than it may is given up") {
  const auto trace = workloads::open_trace("cg:class=S,ranks=16,iterations=1");
  for (const std::string engine : {"fluid", "packet"}) {
    CAPTURE(engine);
    const double work = work_of("mesh:4x4", *trace, engine);
    CHECK(work_of("mesh:4x4", *trace, engine, {}, work) == work);
    CHECK(test::message_of<core::SimulationError>([&] {
            work_of("mesh:4x4", *trace, engine, {}, work / 10);
          }).starts_with("a simulation takes more than "));
  }
}

}  // namespace
}  // namespace toroid::netsim
