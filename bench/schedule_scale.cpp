// How replayed schedules grow: 100 to 900 stencils on a torus of 100,000 nodes, all at once and in a stream of the same
// density, on nodes along a curve and on random ones. Where jobs share few links, three times the jobs should cost
// three times as much; on random nodes all of them meet, and each waits longer the more there are.
//
//   schedule_scale [--platform torus:50x50x40] [--alloc curve --alloc random] [--most 900]

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "bench/measure.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/jobs/jobs.hpp"

namespace {

using namespace toroid;

/// Writes jobs of 27 to 108 ranks each, submitted at random within so many seconds.
void write_jobs(const std::filesystem::path& path, int count, double seconds) {
  constexpr std::array<std::array<int, 3>, 6> grids{{{3, 3, 3}, {4, 4, 2}, {4, 4, 4}, {5, 4, 4}, {6, 4, 4}, {6, 6, 3}}};
  core::Random random(1, "schedule_scale");
  std::vector<double> submitted;
  for (int job = 0; job < count; ++job) submitted.push_back(seconds * random.unit());
  std::sort(submitted.begin(), submitted.end());
  std::ofstream file(path);
  file << "size,submitted_s,run_time_s,program\n";
  for (const double time : submitted) {
    const auto [x, y, z] = grids[random.below(grids.size())];
    file << fmt::format("{},{:.9f},1,\"stencil:grid={}x{}x{},steps={},bytes=64KiB\"\n", x * y * z, time, x, y, z,
                        2 + random.below(3));
  }
}

int replay(const platforms::Machine& machine, const std::filesystem::path& path, const std::string& alloc) {
  const auto jobs = jobs::open_jobs(path.string());
  cosim::ScheduleRequest request(machine, *jobs, "fcfs", alloc);
  request.times = cosim::ScheduleRequest::Times::replayed;
  request.programs.alone = false;
  request.programs.map = "consecutive";
  cosim::run_schedule(request);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"replayed schedules of growing size"};
  std::string platform = "torus:50x50x40";
  std::vector<std::string> allocators{"curve", "random"};
  int most = 900;
  app.add_option("--platform", platform)->capture_default_str();
  app.add_option("--alloc", allocators)->capture_default_str();
  app.add_option("--most", most)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto path = std::filesystem::temp_directory_path() / fmt::format("schedule_scale.{}.csv", ::getpid());
  try {
    const auto machine = platforms::make_machine(platform);
    core::Table table({"allocator", "submitted", "jobs", "CPU s", "times the row above", "MB"});
    for (const auto& alloc : allocators)
      for (const bool at_once : {true, false}) {
        double before = 0;
        for (int count = 100; count <= most; count *= 3) {
          write_jobs(path, count, at_once ? 1e-4 : 2e-5 * count);
          const auto cost = bench::measure([&] { return replay(machine, path, alloc); });
          table.add({alloc, at_once ? "at once" : "in a stream", std::to_string(count),
                     fmt::format("{:.2f}", cost.cpu_s), before > 0 ? fmt::format("{:.2f}", cost.cpu_s / before) : "-",
                     fmt::format("{:.0f}", cost.memory_mb)});
          before = cost.cpu_s;
        }
      }
    fmt::print("{}", table.text());
  } catch (const std::exception& error) {
    fmt::print(stderr, "schedule_scale: {}\n", error.what());
    std::filesystem::remove(path);
    return 1;
  }
  std::filesystem::remove(path);
}
