// What a user of the libraries does: a run, a mapping, a study and a schedule, and numbers by hand beside them.

#include <cmath>
#include <cstdio>
#include <fstream>
#include <toroid/toroid.hpp>

using namespace toroid;

namespace {

bool is_expected(const char* what, double found, double expected) {
  std::printf("%s: %.9g, expected %.9g\n", what, found, expected);
  return std::abs(found / expected - 1) < 1e-9;
}

/// Rank 0 sends 1 MB to rank 1, which is three hops of 100 ns away over links of 1 GB/s.
bool run(const char* engine) {
  std::ofstream("pair.ti") << "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n";
  const auto machine = platforms::make_machine("mesh:4");
  const auto trace = workloads::open_trace("pair.ti");
  const netsim::Mapping mapping{0, 3};  // the node of each rank
  const auto result = netsim::run({machine, *trace, mapping, {}, engine});
  return is_expected(engine, result.runtime, 3 * 100e-9 + 1e6 / 1e9);
}

/// A stencil on a torus of its own extents: all messages go to neighbours.
bool map() {
  const auto machine = platforms::make_machine("torus:4x4x4");
  const auto trace = workloads::open_trace("stencil:grid=4x4x4,periodic=yes");
  const mapping::Traffic traffic(*trace, {}, mapping::MatrixKind::point_to_point);  // without its all-reduces
  const auto mapping = mapping::make_mapping("auto", {machine, mapping::all_nodes(machine), traffic});
  const auto metrics = mapping::measure(machine, mapping, traffic);
  return is_expected("hops per byte", metrics.hops_per_byte(), 1);
}

/// Three random mappings beside the usual one, in worker processes.
bool compare() {
  study::ComparisonSpec spec;
  spec.platforms = {"mesh:4x4"};
  spec.traces = {"stencil:grid=4x4"};
  spec.maps = {"consecutive", "random"};
  spec.repeats = 3;
  spec.verify = false;
  const study::Comparison comparison(spec);
  const auto executor = study::make_local_executor([&](std::size_t task) { return comparison.work(task); }, 2);
  const auto rows = study::run_study(comparison, *executor, nullptr);
  const auto report = study::make_report(comparison, rows, 0.05);
  const auto best = *report.cases[0].mappers.lowest_mean;
  std::printf("least mean run time: %s\n", spec.maps[best].text().c_str());
  return best == 0 && is_expected("runs", static_cast<double>(rows.size()), 1 + 3);
}

/// Two jobs that need the whole machine, one after the other.
bool schedule() {
  std::ofstream("two.csv") << "size,submitted_s,run_time_s\n16,0,10\n16,0,20\n";
  const auto machine = platforms::make_machine("mesh:4x4");
  const auto jobs = jobs::open_jobs("two.csv");
  const auto result = cosim::run_schedule({machine, *jobs, "easy", "mc1x1"});
  return is_expected("makespan", result.totals.makespan(), 30);
}

}  // namespace

int main() {
  return run("fluid") && run("simgrid") && map() && compare() && schedule() ? 0 : 1;
}
