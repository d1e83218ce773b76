#include "views/documents/schedule_document.hpp"

#include "cosim/jobs_csv.hpp"
#include "views/documents/machine_columns.hpp"
#include "views/documents/numbering.hpp"
#include "views/documents/page.hpp"
#include "views/machines/holds.hpp"

namespace toroid::views {
namespace {

using cosim::GanttJob;

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
    std::vector<u1> use(windows * links);
    for (const auto& one : loads->links) {
      TOROID_ASSERT(one.bytes_by_window.size() == windows && drawn.number(one.link) != no_number);
      for (std::size_t w = 0; w < windows; ++w) {
        const double could = machine_.link_bandwidth(one.link) * loads->windows[w].seconds;
        use[w * links + drawn.number(one.link)] = byte_of(one.bytes_by_window[w] / could);
      }
    }
    columns_.add("link_use", use);
  }

  void add_jobs() {
    std::vector<u1> names;
    std::vector<u4> name_begin{0}, program;
    Numbering<std::string, u4> programs;
    for (const auto& job : jobs_) {
      names.insert(names.end(), job.name.begin(), job.name.end());
      name_begin.push_back(static_cast<u4>(names.size()));
      program.push_back(programs.number(job.program));
    }
    columns_.meta["programs"] = programs.all();
    columns_.add("job_name_begin", name_begin);
    columns_.add("job_name", names);
    columns_.add<f8>("job_submitted", jobs_, &GanttJob::submitted);
    columns_.add<f8>("job_started", jobs_, &GanttJob::started);
    columns_.add<f8>("job_ended", jobs_, &GanttJob::ended);
    columns_.add<f8>("job_estimate", jobs_, &GanttJob::estimate);
    columns_.add<f8>("job_alone", jobs_, &GanttJob::alone);
    columns_.add<u4>("job_nodes", jobs_, [](const GanttJob& job) { return job.nodes.size(); });
    columns_.add<u1>("job_end", jobs_, &GanttJob::end);
    for (const auto& [name, note] : {std::pair{"job_user", &jobs::JobNotes::user},
                                     {"job_group", &jobs::JobNotes::group},
                                     {"job_queue", &jobs::JobNotes::queue},
                                     {"job_partition", &jobs::JobNotes::partition}})
      columns_.add<i4>(name, jobs_, [note = note](const GanttJob& job) { return job.notes.*note; });
    columns_.add("job_program", program);
    const auto colours = colours_of(machine_, jobs_);
    TOROID_ASSERT(colours.size() == jobs_.size() && program.size() == jobs_.size());
    columns_.add("job_colour", colours);
  }

  /// Adds whom jobs lost time to. A job that lost a node is there several times: the one meant is the last that
  /// ran meanwhile. A job that had not ended when the history was taken is not drawn, and no loss to it either.
  void add_losses() {
    std::map<cosim::JobId, std::vector<std::size_t>> runs;
    for (std::size_t job = 0; job < jobs_.size(); ++job) runs[jobs_[job].id].push_back(job);
    struct Loss {
      std::size_t job, to;
      double seconds;
    };
    std::vector<Loss> losses;
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      for (const auto& loss : jobs_[job].losses) {
        const auto others = runs.find(loss.to);
        if (others == runs.end()) continue;
        const auto found = std::find_if(others->second.rbegin(), others->second.rend(), [&](std::size_t other) {
          return jobs_[other].started < jobs_[job].ended && jobs_[other].ended > jobs_[job].started;
        });
        if (found == others->second.rend()) continue;
        losses.push_back({job, *found, loss.seconds});
      }
    columns_.add<u4>("loss_job", losses, &Loss::job);
    columns_.add<u4>("loss_to", losses, &Loss::to);
    columns_.add<f4>("loss_s", losses, &Loss::seconds);
  }

  /// How compact jobs lie.
  void add_shapes() {
    alloc::Measure measure(machine_);
    std::vector<alloc::AllocationMetrics> all;
    for (const auto& job : jobs_) all.push_back(measure.all(job.nodes));
    columns_.add<u4>("job_components", all, &alloc::AllocationMetrics::components);
    columns_.add<f4>("job_mean_hops", all, &alloc::AllocationMetrics::mean_pairwise_hops);
  }

  void add_holds() {
    std::vector<u4> runs_begin{0}, first, count;
    for (const auto& hold : holds_) {
      cosim::for_each_run(*hold.nodes, [&](NodeId node, std::size_t nodes) {
        first.push_back(number_of<u4>(node));
        count.push_back(static_cast<u4>(nodes));
      });
      TOROID_ASSERT(hold.job < jobs_.size() && hold.begin < hold.end);
      runs_begin.push_back(static_cast<u4>(first.size()));
    }
    columns_.add<u4>("hold_job", holds_, &Hold::job);
    columns_.add<f8>("hold_begin", holds_, &Hold::begin);
    columns_.add<f8>("hold_end", holds_, &Hold::end);
    columns_.add("hold_runs_begin", runs_begin);
    columns_.add("run_first_node", first);
    columns_.add("run_nodes", count);
  }

  void add_outages() {
    columns_.add<u4>("out_node", outages_, &cosim::Outage::node);
    columns_.add<f8>("out_begin", outages_, &cosim::Outage::began);
    columns_.add<f8>("out_end", outages_, &cosim::Outage::ended);
  }

  /// What is free at equally spaced times, each in the middle of its part of the schedule.
  void add_samples(std::size_t most) {
    constexpr std::size_t most_looks = 20'000'000;  // looks at routers, which take about a second
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
    std::ranges::stable_sort(outages, [](const Hold& a, const Hold& b) { return a.begin < b.begin; });
    HoldSweep failures(
        outages, [&](const Hold& hold) { free.take(*hold.nodes); },
        [&](const Hold& hold) { free.give_back(*hold.nodes); });
    struct Sample {
      double time;
      std::size_t free, regions, largest;
    };
    std::vector<Sample> taken;
    for (std::size_t i = 0; i < samples; ++i) {
      const double time = begin_ + (end_ - begin_) * (static_cast<double>(i) + 0.5) / static_cast<double>(samples);
      jobs.go_to(time);
      failures.go_to(time);
      const auto found = free.regions();
      taken.push_back({time, static_cast<std::size_t>(free.count()), static_cast<std::size_t>(found.count),
                       static_cast<std::size_t>(found.largest)});
    }
    columns_.add<f8>("sample_time", taken, &Sample::time);
    columns_.add<u4>("sample_free_nodes", taken, &Sample::free);
    columns_.add<u4>("sample_regions", taken, &Sample::regions);
    columns_.add<u4>("sample_largest_region", taken, &Sample::largest);
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
