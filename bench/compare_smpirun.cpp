// The same traces on the same machine by `smpirun -replay` and by toroid, side by side: predicted times, CPU seconds,
// memory.
//
//   compare_smpirun [--platform torus:8x8,bw=1.25GBps,lat=1us] [--sharing latency|equal] [--compute none|trace]
//   TRACE...
//
// Both use the flow model without size-dependent factors, reverse traffic or TCP window, the same eager threshold, the
// same collective algorithms and the same sharing law. Equal shares whatever the latencies come from
// libtoroid_platform.so; SimGrid's own law, by latency, from the exported machine. The engine fluid, which has equal
// shares alone, runs beside that for its cost; iterations that repeat are simulated, too.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "bench/measure.hpp"
#include "core/output.hpp"
#include "core/table.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/formats.hpp"

namespace {

using namespace toroid;
using bench::measure;
namespace fs = std::filesystem;

struct Run {
  bench::Measured cost;
  double simulated_s = NAN;
};

struct Settings {
  std::string platform = "torus:8x8,bw=1.25GBps,lat=1us", sharing = "latency", compute = "none", alltoall;
  int timeout = 900;
};

Run run_smpi(const Settings& s, const platforms::Machine& machine, const workloads::Trace& trace,
             const fs::path& folder) {
  const bool equal = s.sharing == "equal";
  const auto platform = equal ? std::string(TOROID_PLATFORM_LIBRARY) : (folder / "platform.xml").string();
  if (!equal) core::write_text(platform, platforms::export_simgrid_xml(machine));
  std::string hosts;
  for (std::size_t r = 0; r < static_cast<std::size_t>(trace.ranks()); ++r)
    hosts += fmt::format("node-{}\n", machine.compute_nodes()[r]);
  core::write_text((folder / "hosts").string(), hosts);
  workloads::write_ti_per_rank(trace, (folder / "trace").string());
  // Without an application smpirun cannot say the time to more than six decimals; the timing display has six digits.
  const std::string command = fmt::format(
      "TOROID_PLATFORM='{}' timeout {} smpirun -np {} -platform {} -hostfile {}/hosts -replay {}/trace "
      "--cfg=network/model:SMPI {} --cfg=network/weight-S:0 "
      "--cfg=network/crosstraffic:0 "
      "--cfg=network/TCP-gamma:0 --cfg=surf/precision:1e-12 --cfg=maxmin/precision:{} "
      "--cfg=smpi/async-small-thresh:65536 --cfg=smpi/send-is-detached-thresh:65536 "
      "--cfg=smpi/simulate-computation:{} --cfg=smpi/display-timing:yes {} > {}/out 2>&1",
      s.platform, s.timeout, trace.ranks(), platform, folder.string(), folder.string(),
      equal ? "" : "--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1",  // the library has factors of its own
      equal ? "1e-9" : "1e-5", s.compute == "none" ? "no" : "yes",
      s.alltoall == "pairwise" ? "--cfg=smpi/alltoall:pair --cfg=smpi/alltoallv:pair" : "", folder.string());
  Run run{measure([&] { return ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr); })};
  std::ifstream out(folder / "out");
  std::string line;
  while (std::getline(out, line)) {
    const auto at = line.find("Simulated time: ");
    if (at != std::string::npos) run.simulated_s = std::stod(line.substr(at + 16));
  }
  return run;
}

Run run_toroid(const Settings& s, const platforms::Machine& machine, const std::string& path,
               const std::string& engine) {
  const auto folder = fs::temp_directory_path() / fmt::format("toroid-result-{}", ::getpid());
  Run run{measure([&] {
    const auto trace = workloads::open_trace(path);
    const auto slots = mapping::all_nodes(machine);
    netsim::ReplayOptions options;
    options.compute_scale = netsim::parse_compute(s.compute);
    options.eager_threshold = 65535;  // SMPI: strictly less
    options.envelope = 16;            // SMPI adds that to every message
    options.order = netsim::Order::shared;
    options.repeats = netsim::Repeats::off;
    options.collectives = workloads::CollectiveChoice::parse(
        s.alltoall == "pairwise" ? "smpi:alltoall=pairwise,alltoallv=pairwise" : "smpi");
    const mapping::Traffic traffic(*trace, options.collectives);
    const auto result = netsim::run(
        {machine, *trace, mapping::make_mapping("consecutive", {machine, slots, traffic}), options, engine});
    core::write_text(folder.string(), fmt::format("{}", result.runtime));
    return 0;
  })};
  std::ifstream(folder) >> run.simulated_s;
  fs::remove(folder);
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"smpirun -replay and toroid on the same traces"};
  Settings s;
  std::vector<std::string> traces;
  app.add_option("--platform", s.platform, "any machine; for sharing latency one that can be exported")
      ->capture_default_str();
  app.add_option("--sharing", s.sharing, "latency: SimGrid's law; equal: equal shares")->capture_default_str();
  app.add_option("--compute", s.compute, "none or trace")->capture_default_str();
  app.add_option("--alltoall", s.alltoall, "pairwise: for alltoall and alltoallv, instead of smpirun's defaults");
  app.add_option("--timeout", s.timeout, "seconds for each smpirun")->capture_default_str();
  app.add_option("TRACE", traces)->required();
  CLI11_PARSE(app, argc, argv);
  try {
    const auto machine = platforms::make_machine(s.platform);
    fmt::print("{}, sharing {}, compute {}\n", s.platform, s.sharing, s.compute);
    std::fflush(stdout);
    core::Table table({"trace", "messages", "smpirun s", "toroid s", "difference", "smpirun CPU s", "toroid CPU s",
                       "ratio", "fluid CPU s", "fluid ratio", "smpirun MB", "toroid MB"});
    for (const auto& path : traces) {
      const auto trace = workloads::open_trace(path);
      const auto folder = fs::temp_directory_path() / fmt::format("toroid-smpirun-{}", ::getpid());
      fs::create_directories(folder);
      Run theirs;
      try {
        theirs = run_smpi(s, machine, *trace, folder);
      } catch (const core::SimulationError&) {
        fmt::print(stderr, "{}: smpirun failed or took too long\n", path);
      }
      fs::remove_all(folder);
      const auto ours =
          run_toroid(s, machine, path, s.sharing == "equal" ? "simgrid" : "simgrid:sharing=latency,optim=lazy");
      const auto fluid = run_toroid(s, machine, path, "fluid");
      const auto name = fs::path(path).parent_path().filename().string();
      table.add({name.empty() ? path : name, std::to_string(workloads::point_to_point_matrix(*trace).total_messages()),
                 fmt::format("{:.6g}", theirs.simulated_s), fmt::format("{:.6g}", ours.simulated_s),
                 fmt::format("{:+.4f} %", 100 * (ours.simulated_s / theirs.simulated_s - 1)),
                 fmt::format("{:.2f}", theirs.cost.cpu_s), fmt::format("{:.2f}", ours.cost.cpu_s),
                 fmt::format("{:.1f}", theirs.cost.cpu_s / ours.cost.cpu_s), fmt::format("{:.2f}", fluid.cost.cpu_s),
                 fmt::format("{:.1f}", theirs.cost.cpu_s / fluid.cost.cpu_s),
                 fmt::format("{:.0f}", theirs.cost.memory_mb), fmt::format("{:.0f}", ours.cost.memory_mb)});
    }
    fmt::print("{}", table.text());
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare_smpirun: {}\n", error.what());
    return 1;
  }
}
