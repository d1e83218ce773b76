#pragma once
// Runs for the tests of formats of viewers.

#include <memory>
#include <string>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "views/timelines/formats.hpp"

namespace toroid::test {

/// A run with a timeline and windows, rank r on node r.
struct Viewed {
  std::unique_ptr<workloads::Trace> trace;
  platforms::Machine machine;
  netsim::Result result;

  Viewed(const std::string& platform, std::unique_ptr<workloads::Trace> program, std::size_t windows = 16,
         std::uint64_t eager_threshold = 65536)
      : trace(std::move(program)), machine(platforms::make_machine(platform)) {
    netsim::Mapping mapping;
    for (const auto rank : core::ids<workloads::Rank>(trace->ranks())) mapping.add(platforms::NodeId(rank.value()));
    netsim::Run request{machine, *trace, mapping, {}, "fluid", windows};
    request.keep_windows = true;
    request.job().options.keep_timeline = true;
    request.job().options.compute_scale = 1;
    request.job().options.eager_threshold = eager_threshold;
    result = netsim::run(request);
  }

  views::ViewedRun run() const { return {machine, *trace, result, {"platform", "trace \"1\"", "map", "fluid", false}}; }
};

/// A run of a generator's program.
inline Viewed viewed(const std::string& platform, const std::string& trace) {
  return {platform, workloads::open_trace(trace)};
}

/// The run of a random program with requests of all kinds, puts, communicators and messages that overtake others.
inline Viewed random_run(std::uint64_t number) {
  core::Random random(number, "viewers");
  return {"torus:3x2,speed=1Gf",
          workloads::random_program(random, {.ranks = 6, .events = 80, .all_kinds = true, .puts = true}), 16, 100};
}

/// The file that a format makes of a run.
inline std::string written(const std::string& format, const Viewed& run, const std::string& path) {
  core::OutputSet outputs;
  auto& file = outputs.add(path);
  views::run_formats().find(format).make.write_file(run.run(), file);
  outputs.commit();
  return content(path);
}

}  // namespace toroid::test
