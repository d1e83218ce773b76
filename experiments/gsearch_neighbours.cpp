// miniGhost on a busy Cielo, mapped by GEOM and by GSEARCH (Balzuweit et al. 2014, Figures 4 and 5), as
// docs/validation/gsearch.md has it: run times beside neighbours that send messages, and how far they lie apart.
//
//   gsearch_neighbours [--sets 6] [--ranks 16,32,...] [--svg FILE]
//
// A stream of jobs fills the machine, along its curve. Some of the running jobs end, at random, until there is room for
// miniGhost, which gets the nodes that have come free; the others send messages as long as it runs. Each set is another
// stream. Both mappings run on the same nodes beside the same neighbours.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "core/output.hpp"
#include "core/random.hpp"
#include "cosim/pictures.hpp"
#include "cosim/placed_jobs.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/jobs/jobs.hpp"
#include "views/charts/charts.hpp"

namespace {

using namespace toroid;

struct Options {
  int sets = 6, steps = 2;
  std::vector<std::int32_t> ranks{16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  std::string neighbours = "traffic:pattern=random,messages=20,bytes=256KiB", svg;
  double compute = 0.15;  ///< of one core's time that a node takes
};

/// Jobs that run side by side when the machine has been full for a while.
std::vector<cosim::Holder> jobs_of_full_machine(const platforms::Machine& machine, int set) {
  const auto jobs = jobs::open_jobs(fmt::format("derose:side=96,load=200,jobs=400,changing=0,seed={}", set));
  cosim::SnapshotObserver snapshot({1.0});
  cosim::ScheduleRequest request{machine, *jobs, "fcfs", "curve"};
  request.observers = {&snapshot};
  cosim::run_schedule(request);
  return snapshot.finish().front().holders;
}

/// Some of them end, until so many nodes are free.
std::vector<cosim::Holder> those_left(std::vector<cosim::Holder> holders, std::int32_t free, std::int32_t wanted,
                                      int set) {
  core::Random random(static_cast<std::uint64_t>(set), fmt::format("gsearch/{}", wanted));
  for (const auto& holder : holders) free -= static_cast<std::int32_t>(holder.nodes.size());
  while (free < wanted) {
    std::swap(holders[random.below(holders.size())], holders.back());
    free += static_cast<std::int32_t>(holders.back().nodes.size());
    holders.pop_back();
  }
  return holders;
}

std::vector<cosim::JobDescription> descriptions(const Options& o, const std::vector<cosim::Holder>& neighbours,
                                                std::int32_t ranks, const std::string& mapper) {
  std::vector<cosim::JobDescription> jobs;
  for (const auto& neighbour : neighbours) {
    if (neighbour.nodes.size() < 2) continue;
    const auto trace = fmt::format("{},grid={},seed={}", o.neighbours, neighbour.nodes.size(), neighbour.id);
    const auto nodes = fmt::format("{}", fmt::join(neighbour.nodes, ","));
    jobs.push_back({.name = "job " + neighbour.name, .trace = trace, .nodes = nodes, .rounds = netsim::until_end});
  }
  const auto trace = fmt::format("minighost:ranks={},steps={}", ranks, o.steps);
  jobs.push_back({.name = "miniGhost", .trace = trace, .allocator = "curve", .map = mapper});
  return jobs;
}

struct Times {
  std::vector<double> beside, alone, hops;  ///< by set; hops of a byte
  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  double range() const {
    const auto [least, most] = std::minmax_element(beside.begin(), beside.end());
    return *most - *least;
  }
};

void run(const Options& o, const platforms::Machine& machine, std::int32_t ranks, const std::string& mapper, int set,
         Times& times) {
  const auto free = static_cast<std::int32_t>(machine.compute_nodes().size());
  const auto neighbours = those_left(jobs_of_full_machine(machine, set), free, ranks, set);
  cosim::PlacingRequest placing{machine, descriptions(o, neighbours, ranks, mapper)};
  for (const auto& neighbour : neighbours)
    if (neighbour.nodes.size() < 2) placing.busy.push_back(neighbour.nodes[0]);
  placing.replay.compute_scale = o.compute;
  const auto placed = cosim::place_jobs(placing);
  const netsim::Run request{machine, placed.jobs, "fluid"};
  const auto result = netsim::run(request);
  const auto& job = result.jobs.back();
  times.beside.push_back(job.runtime().value());
  times.alone.push_back(netsim::run_alone(request, placed.jobs.size() - 1));
  times.hops.push_back(static_cast<double>(job.hop_bytes) / static_cast<double>(job.network_bytes));
}

views::Bar bar_of(const Times& times) {
  const auto [least, most] = std::minmax_element(times.beside.begin(), times.beside.end());
  return {1e3 * Times::mean(times.beside), 1e3 * *least, 1e3 * *most, ""};
}

void make_table(const Options& o) {
  const auto machine = platforms::make_machine("cielo");
  const std::vector<std::string> mappers{"geom", "gsearch"};
  views::BarChart chart{.title = "miniGhost on a busy Cielo: mean and range of run times",
                        .subtitle = fmt::format("{} sets of neighbours", o.sets),
                        .axis = "ms",
                        .groups = {},
                        .series = {"GEOM", "GSEARCH"},
                        .panels = {{"", {}}},
                        .gap = "",
                        .remark = ""};
  fmt::print("| ranks | GEOM ms | GSEARCH ms | ratio | ranges ms | ratio | alone ms | ratio | hops of a byte |\n");
  for (const auto ranks : o.ranks) {
    std::vector<Times> all(mappers.size());
    for (int set = 1; set <= o.sets; ++set)
      for (std::size_t i = 0; i < mappers.size(); ++i) run(o, machine, ranks, mappers[i], set, all[i]);
    const auto &geom = all[0], &gsearch = all[1];
    const auto pair = [](double a, double b) { return fmt::format("{:.3f} | {:.3f} | {:.3f}", a, b, b / a); };
    fmt::print("| {} | {} | {:.3f}, {:.3f} | {:.2f} | {:.3f}, {:.3f} | {:.3f} | {:.3f}, {:.3f} |\n", ranks,
               pair(1e3 * Times::mean(geom.beside), 1e3 * Times::mean(gsearch.beside)), 1e3 * geom.range(),
               1e3 * gsearch.range(), gsearch.range() / geom.range(), 1e3 * Times::mean(geom.alone),
               1e3 * Times::mean(gsearch.alone), Times::mean(gsearch.alone) / Times::mean(geom.alone),
               Times::mean(geom.hops), Times::mean(gsearch.hops));
    std::fflush(stdout);
    chart.groups.push_back(fmt::format("{}", ranks));
    chart.panels[0].groups.push_back({bar_of(geom), bar_of(gsearch)});
  }
  if (!o.svg.empty()) {
    core::OutputSet outputs;
    outputs.add(o.svg).write(views::bar_chart_svg(chart));
    outputs.commit();
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"miniGhost by GEOM and GSEARCH beside neighbours"};
  Options o;
  app.add_option("--sets", o.sets, "of neighbours (6)");
  app.add_option("--steps", o.steps, "of miniGhost (2)");
  app.add_option("--ranks", o.ranks, "of miniGhost")->delimiter(',');
  app.add_option("--neighbours", o.neighbours, "what they run, without grid and seed");
  app.add_option("--compute", o.compute, "share of the recorded computation (0.15)");
  app.add_option("--svg", o.svg, "draw it");
  CLI11_PARSE(app, argc, argv);
  try {
    make_table(o);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gsearch_neighbours: {}\n", error.what());
    return 1;
  }
}
