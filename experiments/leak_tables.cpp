// The published experiments with the distributed allocator Leak again (De Rose, Heiss, Linnert 2007, Tables 1 and 2,
// and what Section 3.1 says of others), each with so many seeds: means with their 95 % intervals.
//
//   leak_tables [--runs 10] [--jobs 1000]
//   leak_tables --load [--runs 3] [--jobs 100] [--svg FILE]
//
// The second is what an allocation takes while jobs send messages, too.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/output.hpp"
#include "cosim/record.hpp"
#include "toroid/cosim/options.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/jobs/jobs.hpp"
#include "views/charts/charts.hpp"

namespace {

using namespace toroid;

/// Nodes that jobs use, integrated until the last one starts: till then some wait. Of jobs that hold their most all
/// along the mean of what they want.
class UntilLastStart final : public cosim::Observer {
 public:
  explicit UntilLastStart(bool dynamic) : dynamic_(dynamic) {}

  void started(const cosim::Record& record) override {
    const auto& job = record.job;
    set(record.id, dynamic_ ? static_cast<double>(record.nodes.size()) : cosim::mean_demand(job.demand, job.size),
        record.started);
    until_ = now_;
    node_seconds_ = sum_;
  }
  void resized(cosim::JobId job, std::span<const platforms::NodeId> nodes, const netsim::Time& now) override {
    set(job, static_cast<double>(nodes.size()), now);
  }
  void ended(const cosim::Record& record) override { set(record.id, 0, record.ended); }

  double node_seconds() const { return node_seconds_; }
  double until() const { return until_; }

 private:
  void set(cosim::JobId job, double nodes, const netsim::Time& now) {
    sum_ += used_ * (now.seconds() - now_);
    now_ = now.seconds();
    used_ += nodes - used_by_[job];
    used_by_[job] = nodes;
  }

  bool dynamic_;
  std::map<cosim::JobId, double> used_by_;
  double used_ = 0, now_ = 0, sum_ = 0, until_ = 0, node_seconds_ = 0;
};

struct Experiment {
  std::string machine, jobs, allocator;
  bool dynamic = false;
  std::string engine = "";
  std::string program = "";  ///< of jobs; empty: they last as the stream says
  netsim::Order order = netsim::Order::pair;
};

/// What came of one run, by name.
using Numbers = std::map<std::string, double>;

Numbers run(const Experiment& experiment, int seed, int count) {
  const auto machine = platforms::make_machine(experiment.machine);
  // Of twice as many, since some are too large in some streams.
  const auto jobs =
      jobs::open_jobs(fmt::format("{},jobs={},first={},seed={}", experiment.jobs, 2 * count, count, seed));
  UntilLastStart until_last_start(experiment.dynamic);
  cosim::ScheduleRequest request{machine, *jobs, "fcfs", experiment.allocator};
  if (!experiment.engine.empty()) request.engine = experiment.engine;
  request.seed = static_cast<std::uint64_t>(seed);
  request.options.dynamic = experiment.dynamic;
  if (!experiment.program.empty()) {
    request.times = cosim::ScheduleRequest::Times::replayed;
    request.programs.rules = {experiment.program};
    request.programs.alone = false;
    request.programs.map = "consecutive";
    request.programs.replay.order = experiment.order;
  }
  request.options.too_large = cosim::Options::TooLarge::reject;
  request.observers = {&until_last_start};
  const auto result = cosim::run_schedule(request);
  Numbers all;
  for (const auto& figure : result.figures) all[figure.name] = figure.value;
  const auto& totals = result.totals;
  const double ran = static_cast<double>(totals.jobs);
  all["finish"] = totals.makespan();
  all["response"] = totals.response / ran;
  all["utilization"] = 100 * totals.utilization();
  all["allocated"] = 100 * totals.allocated();
  all["while jobs wait"] =
      100 * until_last_start.node_seconds() / ((until_last_start.until() - totals.first_submission) * totals.nodes);
  if (all.count("messages") != 0) all["messages per request"] = all["messages"] / (ran + all["partial_requests"]);
  return all;
}

/// `57.7 ± 1.2`: the mean of some runs, and the half width of its 95 % interval.
std::string mean_and_interval(const std::vector<Numbers>& runs, const std::string& name, double unit, int digits) {
  // Student's t for 1, 2, ... degrees of freedom, 97.5 %; beyond that the normal distribution's.
  constexpr std::array quantiles{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  const double n = static_cast<double>(runs.size());
  double sum = 0, squares = 0;
  for (const auto& numbers : runs) sum += numbers.at(name) / unit;
  const double mean = sum / n;
  for (const auto& numbers : runs) squares += std::pow(numbers.at(name) / unit - mean, 2);
  if (runs.size() < 2) return fmt::format("{:.{}f}", mean, digits);
  const double quantile = runs.size() - 2 < quantiles.size() ? quantiles[runs.size() - 2] : 1.96;
  return fmt::format("{:.{}f} ± {:.{}f}", mean, digits, quantile * std::sqrt(squares / (n - 1) / n), digits);
}

struct Column {
  std::string title, name;
  double unit = 1;
  int digits = 1;
};

struct Row {
  std::string title;
  Experiment experiment;
  std::vector<std::string> published;  ///< by column; empty where nothing was
};

void print_table(const std::string& title, const std::vector<Column>& columns, const std::vector<Row>& rows, int runs,
                 int jobs) {
  std::string head = "| |", rule = "|---|";
  for (const auto& column : columns) head += fmt::format(" {} |", column.title), rule += "--:|";
  fmt::print("{}\n\n{}\n{}\n", title, head, rule);
  for (const auto& row : rows) {
    std::vector<Numbers> all;
    for (int seed = 1; seed <= runs; ++seed) all.push_back(run(row.experiment, seed, jobs));
    std::string line = fmt::format("| {} |", row.title);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto& column = columns[i];
      line += all.front().count(column.name) == 0
                  ? std::string(" |")
                  : fmt::format(" {} |", mean_and_interval(all, column.name, column.unit, column.digits));
      if (i < row.published.size() && !row.published[i].empty())
        line.insert(line.size() - 2, fmt::format(" ({})", row.published[i]));
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  fmt::print("\n");
}

/// Two readings of the text, and in both exponential sizes up to the largest of the uniform ones: see
/// docs/validation/leak.md. Their loads are higher, for an eighth of the jobs are left out.
struct Reading {
  std::string title, uniform, exponential;
};
const std::array readings{Reading{"three times the service times", "derose:load=30,service=3s",
                                  "derose:distribution=exponential,load=34.7,service=3s,sizes=1-128"},
                          Reading{"three times the sizes", "derose:side=96",
                                  "derose:distribution=exponential,side=96,load=11.57,sizes=1-384"}};

void table_1(const Reading& reading, int runs, int jobs) {
  const std::vector<Column> columns{{"finish time", "finish"},
                                    {"response", "response"},
                                    {"utilisation %", "utilization"},
                                    {"while jobs wait", "while jobs wait"},
                                    {"messages per request", "messages per request", 1, 0}};
  const std::string mesh = "mesh:32x32", sliding = "frame-sliding:borders=yes";
  const auto& [title, uniform, exponential] = reading;
  print_table("Table 1, " + title, columns,
              {{"dynamic Leak, uniform", {mesh, uniform, "leak", true}, {"185", "57.73", "96.85", "", "750.3"}},
               {"exponential", {mesh, exponential, "leak", true}, {"157", "32.75", "97", "", "507"}},
               {"static Leak, uniform", {mesh, uniform, "leak:contiguous=yes"}, {"266", "99.07", "60.49", "", "5949"}},
               {"exponential", {mesh, exponential, "leak:contiguous=yes"}, {"180", "43.82", "63.72", "", "2184"}},
               {"frame sliding to the borders, uniform", {mesh, uniform, sliding}, {"357", "152.85", "47.82"}},
               {"exponential", {mesh, exponential, sliding}, {"243", "72.53", "50.45"}},
               {"frame sliding by whole sides, uniform", {mesh, uniform, "frame-sliding"}, {}},
               {"exponential", {mesh, exponential, "frame-sliding"}, {}},
               {"static Leak, not contiguous, uniform", {mesh, uniform, "leak"}, {}},
               {"exponential", {mesh, exponential, "leak"}, {}}},
              runs, jobs);
}

void table_2(int runs, int jobs) {
  const std::vector<Column> columns{{"messages", "messages_per_allocation"},
                                    {"initial", "initial_messages_per_allocation"},
                                    {"partial", "partial_messages_per_allocation"},
                                    {"time ms", "mean_allocation_s", 1e-3, 3},
                                    {"initial ms", "initial_mean_allocation_s", 1e-3, 3},
                                    {"partial ms", "partial_mean_allocation_s", 1e-3, 3}};
  const std::string machine = "hpcline:shape=8x8";
  for (const std::string handling : {"0s", "1.27ms"}) {
    std::vector<Row> rows;
    for (const std::string distribution : {"uniform", "exponential"}) {
      const auto jobs_there = fmt::format("derose:distribution={},load=5,side=8,service=1000s", distribution);
      const auto leak = "leak:handling=" + handling;
      rows.push_back({"dynamic, " + distribution, {machine, jobs_there, leak, true, "fluid"}, {"23", "", "", "30"}});
      rows.push_back({"static, " + distribution, {machine, jobs_there, leak, false, "fluid"}, {"128", "", "", "162"}});
    }
    print_table(fmt::format("Table 2, {} per message besides the network", handling), columns, rows, runs, jobs);
  }
}

void others(int runs, int jobs) {
  std::vector<Row> rows;
  for (const std::string sizes : {"derose:load=40,changing=0", "derose:distribution=rectangles,load=40,changing=0"})
    for (const std::string allocator :
         {"frame-sliding", "frame-sliding:borders=yes", "submesh:fit=first", "leak:contiguous=yes", "leak"})
      rows.push_back({allocator + ", " + sizes, {"mesh:32x32", sizes, allocator}, {}});
  print_table("Demands that do not change", {{"utilisation %", "utilization"}}, rows, runs, jobs);
}

/// The static Leak beside jobs that send messages of so many bytes to their neighbours all the time.
void under_load(int runs, int jobs, const std::string& svg) {
  const std::string machine = "hpcline:shape=8x8", stream = "derose:load=5,side=8,service=20ms,changing=0";
  views::LineChart chart{
      machine + ", " + stream, "static Leak", "KiB of a message of the jobs", "ms for an allocation", {}};
  for (const auto& [name, order] :
       {std::pair{"one after another", netsim::Order::pair}, {"all at once", netsim::Order::shared}}) {
    auto& line = chart.lines.emplace_back(views::Line{name, {}});
    for (const int kib : {0, 1, 4, 16, 64, 256}) {
      Experiment experiment{machine, stream, "leak", false, "fluid", "", order};
      if (kib > 0)
        experiment.program = fmt::format("stencil:grid={{size}},bytes={}KiB,steps=1,flops=0f rounds logged", kib);
      double sum = 0;
      for (int seed = 1; seed <= runs; ++seed) {
        const double ms = 1e3 * run(experiment, seed, jobs).at("mean_allocation_s");
        fmt::print("{}, {} KiB, seed {}: {:.3f} ms\n", name, kib, seed, ms);
        sum += ms / runs;
      }
      line.points.push_back({static_cast<double>(kib), sum, fmt::format("{} KiB: {:.3f} ms", kib, sum)});
    }
  }
  if (svg.empty()) return;
  core::OutputSet outputs;
  outputs.add(svg).write(views::line_chart_svg(chart));
  outputs.commit();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("the published experiments with Leak again");
  int runs = 10, jobs = 1000;
  bool load = false;
  std::string svg;
  app.add_option("--runs", runs, "seeds")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--jobs", jobs, "of each run")->check(CLI::PositiveNumber)->capture_default_str();
  auto* under = app.add_flag("--load", load, "times beside jobs that send messages, instead");
  app.add_option("--svg", svg, "draw them")->needs(under);
  CLI11_PARSE(app, argc, argv);
  if (load) {
    under_load(runs, jobs, svg);
    return 0;
  }
  for (const auto& reading : readings) table_1(reading, runs, jobs);
  others(runs, jobs);
  table_2(runs, jobs);
}
