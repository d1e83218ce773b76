// The inner loops, one at a time: routes, matching, decoding, reading.

#include <benchmark/benchmark.h>

#include <filesystem>

#include "core/random.hpp"
#include "netsim/replay/matching.hpp"
#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/formats.hpp"

namespace {

using namespace toroid;

void route(benchmark::State& state, const char* spec) {
  const auto machine = platforms::make_machine(spec);
  core::Random random(1, "bench/route");
  const auto nodes = static_cast<std::uint64_t>(machine.node_count());
  std::int64_t links = 0, sum = 0;
  for (auto _ : state) {
    const auto from = platforms::NodeId(random.below(nodes));
    const auto to = platforms::NodeId(random.below(nodes));
    machine.for_each_link(from, to, [&](platforms::LinkId link) {
      ++links;
      sum += link.value();
    });
  }
  benchmark::DoNotOptimize(sum);
  state.counters["links"] = benchmark::Counter(static_cast<double>(links), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(route, mesh_32x32, "mesh:32x32");
BENCHMARK_CAPTURE(route, torus_16x16x16, "torus:16x16x16");
BENCHMARK_CAPTURE(route, torus_6d, "torus:8x8x8x4x4x4");

/// Messages announced and received again with `queued` others of other envelopes waiting.
void match(benchmark::State& state) {
  netsim::MatchQueue queue;
  for (std::int32_t tag = 0; tag < state.range(0); ++tag) queue.announce({1, tag, 1}, 0);
  for (auto _ : state) {
    queue.announce({2, 7, 0}, 1);
    benchmark::DoNotOptimize(queue.post_receive({2, 7, 0}, 2));
  }
}
BENCHMARK(match)->Arg(0)->Arg(1000)->Arg(100000);

void decode(benchmark::State& state) {
  const auto generated = workloads::open_trace("stencil:grid=4x4,steps=1000");
  const auto path = (std::filesystem::temp_directory_path() / "toroid-bench.ti").string();
  workloads::write_ti(*generated, path);
  const auto trace = workloads::read_ti(path);
  std::filesystem::remove(path);
  workloads::Operation operation;
  std::int64_t operations = 0;
  for (auto _ : state) {
    const auto stream = trace->open(5);
    while (stream->next(operation)) ++operations;
  }
  state.SetItemsProcessed(operations);
}
BENCHMARK(decode);

void read(benchmark::State& state) {
  const auto generated = workloads::open_trace("stencil:grid=4x4,steps=1000");
  const auto path = (std::filesystem::temp_directory_path() / "toroid-bench.ti.zst").string();
  workloads::write_ti(*generated, path);
  std::int64_t operations = 0;
  for (auto _ : state) operations += static_cast<std::int64_t>(workloads::read_ti(path)->operation_count());
  std::filesystem::remove(path);
  state.SetItemsProcessed(operations);
}
BENCHMARK(read)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
