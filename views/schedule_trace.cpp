#include "views/schedule_trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>

#include "core/json.hpp"
#include "cosim/jobs_csv.hpp"
#include "views/timelines/perfetto_trace.hpp"

namespace toroid::views {
namespace {

using cosim::GanttJob;

std::int64_t nanoseconds(double seconds) {
  return std::llround(1e9 * seconds);
}

/// The jobs in the order of their starts.
std::vector<const GanttJob*> by_start(const std::vector<GanttJob>& jobs) {
  std::vector<const GanttJob*> all;
  for (const auto& job : jobs) all.push_back(&job);
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->started < b->started; });
  return all;
}

core::Json arguments(const GanttJob& job) {
  core::Json facts{{"job", job.name},
                   {"nodes", job.nodes.size()},
                   {"node_list", cosim::interval_set(job.nodes)},
                   {"waited_s", job.started - job.submitted},
                   {"estimate_s", job.estimate}};
  if (!job.program.empty()) facts["program"] = job.program;
  if (job.alone > 0) facts["alone_s"] = job.alone;
  if (job.user >= 0) facts["user"] = job.user;
  return facts;
}

/// Each job goes on the first track that is free.
void add_jobs(const std::vector<const GanttJob*>& jobs, PerfettoTrace::Track group, PerfettoTrace& trace) {
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free;
  std::multimap<std::int64_t, std::size_t> busy;  // tracks by the end of their jobs
  std::vector<PerfettoTrace::Track> tracks;
  for (const auto* job : jobs) {
    const auto begin = nanoseconds(job->started), end = nanoseconds(job->ended);
    for (auto first = busy.begin(); first != busy.end() && first->first <= begin; first = busy.erase(first))
      free.push(first->second);
    if (free.empty()) {
      free.push(tracks.size());
      tracks.push_back(trace.add_track(group, "jobs " + std::to_string(tracks.size() + 1)));
    }
    const auto track = free.top();
    free.pop();
    busy.emplace(end, track);
    trace.begin_slice(tracks[track], begin, "job " + job->name, "job", arguments(*job));
    trace.end_slice(tracks[track], end);
  }
}

/// A number that changes with time.
using Changes = std::map<std::int64_t, std::int64_t>;

void add_counter(std::string_view name, std::string_view unit, const Changes& changes, PerfettoTrace::Track group,
                 PerfettoTrace& trace) {
  const auto counter = trace.add_counter(group, name, unit);
  std::int64_t value = 0;
  for (const auto& [time, change] : changes)
    if (change != 0) trace.count(counter, time, static_cast<double>(value += change));
}

}  // namespace

void write_schedule_trace(const std::vector<GanttJob>& jobs, std::string_view title, core::OutputFile& file) {
  PerfettoTrace trace(file);
  add_jobs(by_start(jobs), trace.add_track(PerfettoTrace::top, title), trace);
  Changes held, waiting;
  for (const auto& job : jobs) {
    ++waiting[nanoseconds(job.submitted)];
    --waiting[nanoseconds(job.started)];
    job.for_each_hold([&](const auto& nodes, double begin, double end) {
      held[nanoseconds(begin)] += static_cast<std::int64_t>(nodes.size());
      held[nanoseconds(end)] -= static_cast<std::int64_t>(nodes.size());
    });
  }
  const auto machine = trace.add_track(PerfettoTrace::top, "machine");
  add_counter("nodes that jobs have", "nodes", held, machine, trace);
  add_counter("jobs that wait", "jobs", waiting, machine, trace);
  trace.finish();
}

}  // namespace toroid::views
