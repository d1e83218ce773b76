// A run as a trace of Perfetto: a track for each rank with its calls and what it waited for in them, an arrow for each
// message, and the use of the busiest links over time. A schedule: a slice for each job.

#include <cmath>
#include <queue>
#include "cosim/jobs_csv.hpp"
#include "platforms/names.hpp"
#include "views/timelines/formats.hpp"
#include "views/timelines/perfetto_trace.hpp"
#include "views/timelines/rank_events.hpp"

namespace toroid::views {
namespace {

class PerfettoWriter {
 public:
  PerfettoWriter(const ViewedRun& run, core::OutputFile& file)
      : run_(run), ranks_(run.result, nanosecond_ticks), trace_(file) {}

  void write() {
    const auto group =
        trace_.add_track(PerfettoTrace::top, fmt::format("{} on {}, map {}, engine {}", run_.names.trace,
                                                         run_.names.platform, run_.names.map, run_.names.engine));
    for (const auto rank : ranks_.rank_ids()) {
      const auto node = platforms::node_name(run_.machine.description(), run_.result.ranks[rank].node);
      const auto track = trace_.add_track(group, fmt::format("rank {} on {}", rank, node));
      RankEvents events(ranks_, rank);
      while (const auto event = events.next()) add(track, rank, *event);
      add_cores(track, rank);
    }
    add_links();
    trace_.finish();
  }

 private:
  void add(PerfettoTrace::Track track, workloads::Rank rank, const RankEvent& event) {
    using What = RankEvent::What;
    switch (event.what) {
      case What::enter_call: {
        const auto& call = ranks_.call(rank, event.number);
        return trace_.begin_slice(track, event.time, to_string(call.kind), category(call.kind),
                                  {{"operation", call.operation}});
      }
      case What::enter_phase: {
        const auto doing = ranks_.phase(rank, event.number).doing;
        return trace_.begin_slice(track, event.time, to_words(doing),
                                  doing == netsim::Doing::compute ? "compute" : "wait");
      }
      case What::leave_call:
      case What::leave_phase:
        return trace_.end_slice(track, event.time);
      case What::launch:
        return trace_.begin_arrow(track, event.time, event.number);
      case What::arrive:
        return trace_.end_arrow(track, event.time, event.number);
    }
  }

  /// A track for each core of a rank on which several compute, below that of the rank.
  void add_cores(PerfettoTrace::Track group, workloads::Rank rank) {
    auto track = group;
    const netsim::CoreSpan* last = nullptr;
    for (const auto& span : std::ranges::equal_range(run_.result.core_spans, rank, {}, &netsim::CoreSpan::rank)) {
      if (last == nullptr || last->core != span.core)
        track = trace_.add_track(group, fmt::format("rank {}, core {}", rank, span.core));
      trace_.begin_slice(track, ranks_.ticks(span.begin), "compute", "compute", {{"operation", span.operation}});
      trace_.end_slice(track, ranks_.ticks(span.end));
      last = &span;
    }
  }

  /// The share of their capacity that the busiest links used, window by window.
  void add_links() {
    const auto links = busy_links(run_.machine, run_.result);
    if (links.empty()) return;
    const auto group = trace_.add_track(PerfettoTrace::top, "busiest links");
    for (const auto& link : links) {
      const auto counter = trace_.add_counter(group, link.name, "%");
      for (const auto& [since, share] : link.use) trace_.count(counter, ranks_.ticks(since), 100 * share);
    }
  }

  const ViewedRun& run_;
  RankTimelines ranks_;
  PerfettoTrace trace_;
};

}  // namespace

core::Entry<RunFormat> perfetto_format() {
  return {"perfetto",
          "a trace for ui.perfetto.dev: calls and waits of ranks, messages, busiest links (a name in .gz packs it)",
          {.write_file = [](const ViewedRun& run, core::OutputFile& file) { PerfettoWriter(run, file).write(); },
           .draws_links = true}};
}

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
  if (job.notes.user >= 0) facts["user"] = job.notes.user;
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
