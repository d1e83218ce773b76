// Time of one allocation and release, on machines of which jobs hold seven tenths.
//
//   build/release/bench/allocators --benchmark_filter=mc1x1

#include <benchmark/benchmark.h>

#include <deque>

#include "core/random.hpp"
#include "toroid/alloc/allocator.hpp"

namespace {

using namespace toroid;

/// Jobs of 1 to 255 nodes come; the oldest go while there is less than that room beyond seven tenths.
void allocate_and_release(benchmark::State& state, const std::string& platform, const std::string& spec) {
  const auto machine = platforms::make_machine(platform);
  alloc::FreeNodes free(machine);
  const auto allocator = alloc::allocators().make(spec, alloc::Site{free});
  core::Random random(1, "bench");
  std::deque<alloc::Allocation> running;
  const std::int32_t kept_free = free.count() * 3 / 10;
  std::int64_t job = 0;
  const auto step = [&] {
    const auto nodes = static_cast<std::int32_t>(1 + random.below(255));
    while (!running.empty() && free.count() < kept_free + nodes) {
      allocator->release(0, running.front());
      running.pop_front();
    }
    allocator->allocate({++job, nodes}, [&](auto found) {
      if (found) running.push_back(std::move(*found));
    });
  };
  for (int i = 0; i < 2000; ++i) step();
  for (auto _ : state) step();
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string platform : {"mesh:32x32", "mesh:16x16x16", "torus:16x16x16", "mesh:32x32x32"})
    for (const std::string spec : {"curve", "curve:order=hilbert,fit=sumsq", "granular-mbs", "mc1x1:last=first",
                                   "mc1x1", "gen-alg", "mm", "submesh", "gabl"})
      benchmark::RegisterBenchmark((spec + " on " + platform).c_str(), [=](benchmark::State& state) {
        allocate_and_release(state, platform, spec);
      })->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
