#include "views/schedule_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "alloc/metrics.hpp"
#include "cosim/free_pieces.hpp"
#include "cosim/jobs_csv.hpp"
#include "cosim/schedule_metrics.hpp"
#include "views/pages/each.hpp"
#include "views/pages/holds.hpp"
#include "views/pages/job_colours.hpp"
#include "views/pages/machine_columns.hpp"
#include "views/pages/page.hpp"

namespace toroid::views {
namespace {

using core::Json;
using cosim::GanttJob;
using platforms::Machine;
using platforms::NodeId;

class ScheduleColumns {
 public:
  ScheduleColumns(const Machine& machine, const cosim::GanttObserver& history)
      : machine_(machine), jobs_(history.jobs()), outages_(history.outages()), holds_(holds_of(jobs_)) {}

  Columns make(const Json& totals, const std::optional<cosim::LinkLoadsOverTime>& loads, const ScheduleNames& names,
               std::size_t most_samples) {
    add_meta(totals, names);
    const MachineColumns drawn(machine_);
    drawn.add_to(columns_);
    add_link_use(loads, drawn);
    add_jobs();
    add_losses();
    add_shapes();
    add_holds();
    add_outages();
    add_samples(most_samples);
    return std::move(columns_);
  }

 private:
  void add_meta(const Json& totals, const ScheduleNames& names) {
    columns_.meta = {{"platform", names.platform},
                     {"jobs", names.jobs},
                     {"scheduler", names.scheduler},
                     {"allocator", names.allocator},
                     {"bound_of_slowdown", cosim::bound_of_slowdown},
                     {"compute_nodes", machine_.compute_nodes().size()},
                     {"totals", Json::object()}};
    for (const auto& [key, value] : totals.items())
      if (value.is_number()) columns_.meta["totals"][key] = value;
    for (const auto& job : jobs_) {
      begin_ = std::min(begin_, job.submitted);
      end_ = std::max(end_, job.ended);
    }
    if (jobs_.empty()) begin_ = 0;
    columns_.meta["begin_s"] = begin_;
    columns_.meta["end_s"] = end_;
  }

  /// How much of its capacity each link used in each window, window by window, where that was measured.
  void add_link_use(const std::optional<cosim::LinkLoadsOverTime>& loads, const MachineColumns& drawn) {
    const auto windows = loads ? loads->windows.size() : 0;
    columns_.meta["windows"] = windows;
    if (windows == 0) return;
    columns_.meta["window_s"] = loads->window;
    const auto links = drawn.links().size();
    std::vector<std::uint8_t> use(windows * links);
    for (const auto& one : loads->links)
      for (std::size_t w = 0; w < windows; ++w) {
        const double could = machine_.link_bandwidth(one.link) * loads->windows[w].seconds;
        use[w * links + drawn.number(one.link)] = byte_of(one.bytes_by_window[w] / could);
      }
    columns_.add("link_use", use);
  }

  void add_jobs() {
    std::vector<std::uint8_t> names;
    std::vector<std::uint32_t> name_begin{0}, program;
    std::map<std::string, std::uint32_t> numbers;
    auto programs = Json::array();
    for (const auto& job : jobs_) {
      names.insert(names.end(), job.name.begin(), job.name.end());
      name_begin.push_back(static_cast<std::uint32_t>(names.size()));
      const auto [it, is_new] = numbers.try_emplace(job.program, static_cast<std::uint32_t>(numbers.size()));
      if (is_new) programs.push_back(job.program);
      program.push_back(it->second);
    }
    columns_.meta["programs"] = programs;
    columns_.add("job_name_begin", name_begin);
    columns_.add("job_name", names);
    columns_.add("job_submitted", each(jobs_, &GanttJob::submitted));
    columns_.add("job_started", each(jobs_, &GanttJob::started));
    columns_.add("job_ended", each(jobs_, &GanttJob::ended));
    columns_.add("job_estimate", each(jobs_, &GanttJob::estimate));
    columns_.add("job_alone", each(jobs_, &GanttJob::alone));
    columns_.add("job_nodes",
                 each(jobs_, [](const auto& job) { return static_cast<std::uint32_t>(job.nodes.size()); }));
    columns_.add("job_end", each(jobs_, [](const auto& job) { return static_cast<std::uint8_t>(job.end); }));
    columns_.add("job_user", each(jobs_, [](const auto& job) { return static_cast<std::int32_t>(job.user); }));
    columns_.add("job_program", program);
    columns_.add("job_colour", colours_of(machine_, jobs_));
  }

  /// Adds whom jobs lost time to. A job that lost a node is there several times: the one meant is the last that
  /// ran meanwhile. A job that had not ended when the history was taken is not drawn, and no loss to it either.
  void add_losses() {
    std::map<cosim::JobId, std::vector<std::size_t>> runs;
    for (std::size_t job = 0; job < jobs_.size(); ++job) runs[jobs_[job].id].push_back(job);
    std::vector<std::uint32_t> job_of, to;
    std::vector<float> seconds;
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      for (const auto& loss : jobs_[job].losses) {
        const auto others = runs.find(loss.to);
        if (others == runs.end()) continue;
        const auto found = std::find_if(others->second.rbegin(), others->second.rend(), [&](std::size_t other) {
          return jobs_[other].started < jobs_[job].ended && jobs_[other].ended > jobs_[job].started;
        });
        if (found == others->second.rend()) continue;
        job_of.push_back(static_cast<std::uint32_t>(job));
        to.push_back(static_cast<std::uint32_t>(*found));
        seconds.push_back(static_cast<float>(loss.seconds));
      }
    columns_.add("loss_job", job_of);
    columns_.add("loss_to", to);
    columns_.add("loss_s", seconds);
  }

  /// How compact jobs lie.
  void add_shapes() {
    alloc::Measure measure(machine_);
    std::vector<std::uint32_t> components;
    std::vector<float> hops;
    for (const auto& job : jobs_) {
      const auto metrics = measure.all(job.nodes);
      components.push_back(static_cast<std::uint32_t>(metrics.components));
      hops.push_back(static_cast<float>(metrics.mean_pairwise_hops));
    }
    columns_.add("job_components", components);
    columns_.add("job_mean_hops", hops);
  }

  void add_holds() {
    std::vector<std::uint32_t> runs_begin{0}, first, count;
    for (const auto& hold : holds_) {
      cosim::for_each_run(*hold.nodes, [&](NodeId node, std::size_t nodes) {
        first.push_back(u4(node));
        count.push_back(static_cast<std::uint32_t>(nodes));
      });
      runs_begin.push_back(static_cast<std::uint32_t>(first.size()));
    }
    columns_.add("hold_job", each(holds_, [](const Hold& hold) { return static_cast<std::uint32_t>(hold.job); }));
    columns_.add("hold_begin", each(holds_, &Hold::begin));
    columns_.add("hold_end", each(holds_, &Hold::end));
    columns_.add("hold_runs_begin", runs_begin);
    columns_.add("run_first_node", first);
    columns_.add("run_nodes", count);
  }

  void add_outages() {
    columns_.add("out_node", each(outages_, [](const auto& outage) { return u4(outage.node); }));
    columns_.add("out_begin", each(outages_, &cosim::Outage::began));
    columns_.add("out_end", each(outages_, &cosim::Outage::ended));
  }

  /// What is free at equally spaced times, each in the middle of its part of the schedule.
  void add_samples(std::size_t most) {
    constexpr std::size_t most_looks = 20'000'000;  // at routers, which takes about a second
    const auto routers = static_cast<std::size_t>(machine_.grid().size());
    const std::size_t samples = end_ > begin_ ? std::min(most, std::max<std::size_t>(20, most_looks / routers)) : 0;
    cosim::FreePieces free(machine_);
    HoldSweep jobs(
        holds_, [&](const Hold& hold) { free.take(*hold.nodes); },
        [&](const Hold& hold) { free.give_back(*hold.nodes); });
    std::vector<cosim::Allocation> nodes_out;
    for (const auto& outage : outages_) nodes_out.push_back({outage.node});
    std::vector<Hold> outages;
    for (std::size_t i = 0; i < outages_.size(); ++i)
      outages.push_back({i, &nodes_out[i], outages_[i].began, outages_[i].ended});
    std::stable_sort(outages.begin(), outages.end(), [](const Hold& a, const Hold& b) { return a.begin < b.begin; });
    HoldSweep failures(
        outages, [&](const Hold& hold) { free.take(*hold.nodes); },
        [&](const Hold& hold) { free.give_back(*hold.nodes); });
    std::vector<double> time;
    std::vector<std::uint32_t> free_nodes, regions, largest;
    for (std::size_t i = 0; i < samples; ++i) {
      time.push_back(begin_ + (end_ - begin_) * (static_cast<double>(i) + 0.5) / static_cast<double>(samples));
      jobs.go_to(time.back());
      failures.go_to(time.back());
      const auto found = free.regions();
      free_nodes.push_back(static_cast<std::uint32_t>(free.count()));
      regions.push_back(static_cast<std::uint32_t>(found.count));
      largest.push_back(static_cast<std::uint32_t>(found.largest));
    }
    columns_.add("sample_time", time);
    columns_.add("sample_free_nodes", free_nodes);
    columns_.add("sample_regions", regions);
    columns_.add("sample_largest_region", largest);
  }

  const Machine& machine_;
  const std::vector<GanttJob>& jobs_;
  std::vector<cosim::Outage> outages_;
  std::vector<Hold> holds_;
  double begin_ = std::numeric_limits<double>::infinity(), end_ = 0;  ///< s
  Columns columns_;
};

}  // namespace

Columns schedule_columns(const Machine& machine, const cosim::GanttObserver& history, const Json& totals,
                         const ScheduleNames& names, const std::optional<cosim::LinkLoadsOverTime>& loads,
                         std::size_t most_samples) {
  return ScheduleColumns(machine, history).make(totals, loads, names, most_samples);
}

std::string schedule_page(const Columns& schedule) {
  const auto title =
      fmt::format("{} on {}", schedule.meta["jobs"].get<std::string>(), schedule.meta["platform"].get<std::string>());
  return page(title, schedule, web::schedule);
}

}  // namespace toroid::views
