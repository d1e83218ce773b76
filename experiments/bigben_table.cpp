// Programs beside a PTRANS of 1,024 on BigBen, placed by number or in connected cabinets (Weisser et al. 2006,
// Table 2), as docs/validation/bigben.md has them: a table, and a picture of it.
//
//   bigben_table [--engine fluid] [--and-engine packet:packet=1KiB,vcs=8 --and-machine bigben:sending=node] [--svg
//   FILE]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/output.hpp"
#include "cosim/placed_jobs.hpp"
#include "netsim/network.hpp"
#include "views/charts/charts.hpp"

namespace {

using namespace toroid;

const std::string by_number = "consecutive", by_cabinet = "blocks:box=1x12x8,order=row";
const std::string ptrans = "ptrans:grid=32x32,order=8192,steps=";

struct Application {
  std::string name, trace;
  double by_number, by_cabinet;  ///< published seconds; of PTRANS the inverse of its GB/s
};

const std::vector<Application> applications{
    {"PTRANS 1,024", ptrans + "3", 1 / 129.3, 1 / 146.5},
    {"DNS 512", "fft:points=512x512x512,bytes=8,grid=1x512,fields=1,steps=1", 316.5, 296.0},
    {"DNS 192", "fft:points=192x192x192,bytes=8,grid=1x192,fields=1,steps=4", 198.0, 163.0},
    {"NAMD 512", "namd:ranks=512,steps=10", 161.4, 150.1},
    {"NAMD 32", "namd:ranks=32,steps=5", 252.7, 228.3},
};

/// One application beside PTRANS, which goes on as long as it runs.
struct Run {
  double seconds = 0, alone = 0, neighbour = 0;  ///< neighbour: PTRANS, of which rounds may be cut
  std::set<std::string> dimensions;              ///< of the links that carried something for both
  std::size_t shared = 0;                        ///< how many these are
  std::optional<double> lost;                    ///< share of its run time that is charged to PTRANS
};

Run run(const platforms::Machine& machine, const Application& application, const std::string& allocator,
        bool ptrans_first, const std::string& engine) {
  cosim::JobDescription app{.name = application.name, .trace = application.trace, .allocator = allocator};
  cosim::JobDescription other{
      .name = "neighbour", .trace = ptrans + "1", .allocator = allocator, .rounds = netsim::until_end};
  const std::size_t at = ptrans_first ? 1 : 0;
  const auto placed = cosim::place_jobs({machine, ptrans_first ? std::vector{other, app} : std::vector{app, other}});
  const netsim::Run request{machine, placed.jobs, engine};
  const auto result = netsim::run(request);
  Run run;
  run.seconds = result.jobs[at].runtime().value();
  run.alone = netsim::run_alone(request, at);
  for (std::size_t i = 1; i < result.job_loads.size(); ++i) {
    const auto link = result.job_loads[i].link;
    if (result.job_loads[i - 1].link != link) continue;
    ++run.shared;
    run.dimensions.insert(machine.link_name(link).substr(machine.link_name(link).find('(')));
  }
  if (!result.jobs[at].charges.empty()) run.lost = result.jobs[at].charges[1 - at] / run.seconds;
  return run;
}

std::string told(const Run& run) {
  auto text = fmt::format("{:.3f}", run.seconds / run.alone);
  if (run.lost) text += fmt::format(", {:.1f} %, {} {}", 100 * *run.lost, run.shared, fmt::join(run.dimensions, " "));
  return text;
}

/// What predicts the times, and of which machine.
struct Network {
  std::string engine;
  platforms::Machine machine;
};

void make_table(const std::vector<Network>& networks, const std::string& svg) {
  views::BarChart chart{.title = "BigBen: what default placement costs beside PTRANS",
                        .subtitle = "",
                        .axis = "run time, default over connected",
                        .groups = {},
                        .series = {"published"},
                        .panels = {{"", {}}},
                        .gap = "",
                        .remark = ""};
  for (const auto& [name, machine] : networks)
    for (const char* who : {"PTRANS first", "PTRANS second"}) chart.series.push_back(name + ", " + who);
  fmt::print("| application | engine | first | default / connected | alone | published | default | connected |\n");
  for (const auto& application : applications) {
    const double published = application.by_number / application.by_cabinet;
    std::vector<views::Bar> bars{{published, 0, 0, fmt::format("{:.3f}", published)}};
    for (const auto& [name, machine] : networks)
      for (const bool ptrans_first : {true, false}) {
        const auto number = run(machine, application, by_number, ptrans_first, name);
        const auto cabinet = run(machine, application, by_cabinet, ptrans_first, name);
        const double ratio = number.seconds / cabinet.seconds;
        bars.push_back({ratio, 0, 0, fmt::format("{:.3f}", ratio)});
        fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {} | {} |\n", application.name, name,
                   ptrans_first ? "PTRANS" : "application", ratio, number.alone / cabinet.alone, published,
                   told(number), told(cabinet));
        std::fflush(stdout);
      }
    chart.groups.push_back(application.name);
    chart.panels[0].groups.push_back(std::move(bars));
  }
  if (!svg.empty()) {
    core::OutputSet outputs;
    outputs.add(svg).write(views::bar_chart_svg(chart));
    outputs.commit();
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Table 2 of Weisser et al. again"};
  std::string engine = "fluid", second, svg, machine = "bigben", second_machine;
  app.add_option("--machine", machine, "with what-ifs (bigben)");
  app.add_option("--engine", engine, "as toroid simulate takes it (fluid)");
  app.add_option("--and-engine", second, "another one");
  app.add_option("--and-machine", second_machine, "the machine of the other engine (the same)");
  app.add_option("--svg", svg, "draw it");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<Network> networks{{engine, platforms::make_machine(machine)}};
    if (!second.empty())
      networks.push_back({second, platforms::make_machine(second_machine.empty() ? machine : second_machine)});
    make_table(networks, svg);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bigben_table: {}\n", error.what());
    return 1;
  }
}
