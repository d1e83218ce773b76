// Time of one allocation and release, on machines of which jobs hold seven tenths.

#include <deque>

#include "bench/speed/parts.hpp"
#include "core/random.hpp"
#include "toroid/alloc/allocator.hpp"

namespace toroid::bench {
namespace {

/// Microseconds. Jobs of 1 to 255 nodes come; the oldest go while there is less than that room beyond seven tenths.
double allocate_and_release(const platforms::Machine& machine, const std::string& spec, double least_s) {
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
  while (job < 1000) step();
  const double start = cpu_seconds();
  do step();
  while (cpu_seconds() - start < least_s);
  return 1e6 * (cpu_seconds() - start) / static_cast<double>(job - 1000);
}

}  // namespace

void measure_allocators(const SpeedOptions& o) {
  static constexpr std::array platforms{"mesh:32x32", "mesh:16x16x16", "torus:16x16x16", "mesh:32x32x32"};
  std::vector<std::string> columns{"allocator"};
  for (const auto* platform : platforms) columns.push_back(fmt::format("{}, us", platform));
  core::Table table(columns);
  for (const std::string spec : o.of(std::array{"curve", "curve:order=hilbert,fit=sumsq", "granular-mbs",
                                                "mc1x1:last=first", "mc1x1", "gen-alg", "mm", "submesh", "gabl"})) {
    std::vector<std::string> row{spec};
    for (const auto* platform : platforms)
      row.push_back(
          fmt::format("{:.3g}", allocate_and_release(platforms::make_machine(platform), spec, o.small ? 0.01 : 1)));
    table.add(row);
  }
  print(table);
}

}  // namespace toroid::bench
