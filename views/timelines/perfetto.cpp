// A run as a trace of Perfetto: a track for each rank with its calls and what it waited for in them, an arrow for each
// message, and the use of the busiest links over time.

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
        return trace_.begin_slice(track, event.time, to_string(call.kind), category(call.kind), call.operation);
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
      trace_.begin_slice(track, ranks_.ticks(span.begin), "compute", "compute", span.operation);
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

}  // namespace toroid::views
