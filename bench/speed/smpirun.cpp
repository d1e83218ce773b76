// The same traces on the same machine by `smpirun -replay` and by toroid. All differences are taken away: both use the
// flow model without size-dependent factors, reverse traffic or TCP window, the same eager threshold, the same
// collective algorithms and the same sharing law. Equal shares whatever the latencies come from libtoroid_platform.so,
// SimGrid's own law from the exported machine. The engine fluid, which has equal shares alone, runs beside that for its
// cost; iterations that repeat are simulated, too.

#include <cmath>
#include <filesystem>
#include <fstream>

#include "bench/speed/parts.hpp"
#include "core/output.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::bench {
namespace {

namespace fs = std::filesystem;

const std::string platform = "torus:8x8,bw=1.25GBps,lat=1us";

struct Run {
  double cpu_s = NAN, simulated_s = NAN;
};

/// Not a number if smpirun fails or takes longer than a quarter of an hour.
Run run_smpi(const SpeedOptions& o, const workloads::Trace& trace, const fs::path& folder) {
  const bool equal = o.sharing == "equal";
  const auto machine = platforms::make_machine(platform);
  const auto file = equal ? std::string(TOROID_PLATFORM_LIBRARY) : (folder / "platform.xml").string();
  if (!equal) core::write_text(file, platforms::export_simgrid_xml(machine));
  std::string hosts;
  for (std::size_t r = 0; r < static_cast<std::size_t>(trace.ranks()); ++r)
    hosts += fmt::format("node-{}\n", machine.compute_nodes()[r]);
  core::write_text((folder / "hosts").string(), hosts);
  core::OutputSet outputs;
  workloads::write_ti_per_rank(trace, outputs, (folder / "trace").string());
  outputs.commit();
  // Without an application smpirun cannot say the time to more than six decimals; the timing display has six digits.
  const std::string command = fmt::format(
      "TOROID_PLATFORM='{}' timeout 900 smpirun -np {} -platform {} -hostfile {}/hosts -replay {}/trace "
      "--cfg=network/model:SMPI {} --cfg=network/weight-S:0 --cfg=network/crosstraffic:0 "
      "--cfg=network/TCP-gamma:0 --cfg=surf/precision:1e-12 --cfg=maxmin/precision:{} "
      "--cfg=smpi/async-small-thresh:65536 --cfg=smpi/send-is-detached-thresh:65536 "
      "--cfg=smpi/simulate-computation:no --cfg=smpi/display-timing:yes {} > {}/out 2>&1",
      platform, trace.ranks(), file, folder.string(), folder.string(),
      equal ? "" : "--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1",  // the library has factors of its own
      equal ? "1e-9" : "1e-5", o.alltoall == "pairwise" ? "--cfg=smpi/alltoall:pair --cfg=smpi/alltoallv:pair" : "",
      folder.string());
  Run run;
  try {
    run.cpu_s = measure([&] { return ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr); }).cpu_s;
  } catch (const core::SimulationError&) {
    if (o.small && std::system("command -v smpirun > /dev/null") == 0) throw;  // a try, which has to work
    fmt::print(stderr, "smpirun failed or took too long\n");
  }
  std::ifstream out(folder / "out");
  std::string line;
  while (std::getline(out, line)) {
    const auto at = line.find("Simulated time: ");
    if (at != std::string::npos) run.simulated_s = std::stod(line.substr(at + 16));
  }
  return run;
}

/// The reading of the trace counts, too.
Run run_toroid(const SpeedOptions& o, const std::string& path, const std::string& engine) {
  Run run;
  run.cpu_s = cpu_seconds_of([&] {
    const auto machine = platforms::make_machine(platform);
    const auto trace = workloads::open_trace(path);
    netsim::ReplayOptions options;
    options.compute_scale = 0;
    options.eager_threshold = 65535;  // SMPI: strictly less
    options.envelope = 16;            // SMPI adds that to every message
    options.order = netsim::Order::shared;
    options.repeats = netsim::Repeats::off;
    options.collectives = workloads::CollectiveChoice::parse(
        o.alltoall == "pairwise" ? "smpi:alltoall=pairwise,alltoallv=pairwise" : "smpi");
    auto nodes = mapping::all_nodes(machine);
    nodes.resize(static_cast<std::size_t>(trace->ranks()));
    run.simulated_s = netsim::run({machine, *trace, netsim::Mapping(nodes), options, engine}).runtime;
  });
  return run;
}

}  // namespace

void measure_smpirun(const SpeedOptions& o) {
  const auto folder = fs::temp_directory_path() / fmt::format("toroid-smpirun-{}", ::getpid());
  fs::create_directories(folder);
  auto traces = o.traces;
  if (traces.empty())  // traces of speed.md are files, as their reading counts
    for (const std::string program : {"lu", "cg"}) {
      traces.push_back((folder / (program + ".A.64")).string());
      core::OutputSet outputs;
      workloads::write_own(*workloads::open_trace(program + (o.small ? ":class=S,ranks=16" : ":class=A,ranks=64")),
                           outputs, traces.back());
      outputs.commit();
    }
  core::Table table({"trace", "messages", "smpirun, s", "toroid, s", "off", "smpirun, CPU s", "simgrid, CPU s",
                     "fluid, CPU s", "smpirun over simgrid", "smpirun over fluid"});
  for (const auto& path : o.of(traces)) {
    const auto trace = workloads::open_trace(path);
    const auto theirs = run_smpi(o, *trace, folder);
    const auto ours = run_toroid(o, path, o.sharing == "equal" ? "simgrid" : "simgrid:sharing=latency,optim=lazy");
    const auto fluid = run_toroid(o, path, "fluid");
    const auto parent = fs::path(path).parent_path().filename().string();
    table.add({o.traces.empty() || parent.empty() ? fs::path(path).filename().string() : parent,
               std::to_string(workloads::point_to_point_matrix(*trace).total_messages()),
               fmt::format("{:.6g}", theirs.simulated_s), fmt::format("{:.6g}", ours.simulated_s),
               fmt::format("{:+.4f} %", 100 * (ours.simulated_s / theirs.simulated_s - 1)),
               fmt::format("{:.2f}", theirs.cpu_s), fmt::format("{:.2f}", ours.cpu_s),
               fmt::format("{:.2f}", fluid.cpu_s), fmt::format("{:.1f}", theirs.cpu_s / ours.cpu_s),
               fmt::format("{:.1f}", theirs.cpu_s / fluid.cpu_s)});
  }
  fs::remove_all(folder);
  print(table);
}

}  // namespace toroid::bench
