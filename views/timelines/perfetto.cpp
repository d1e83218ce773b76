// A run as a trace of Perfetto: a track for each rank with its calls and what it waited for in them, an arrow for each
// message, and the use of the busiest links over time.

#include "core/wire.hpp"
#include "platforms/names.hpp"
#include "views/documents/numbering.hpp"
#include "views/timelines/formats.hpp"
#include "views/timelines/rank_events.hpp"

namespace toroid::views {
namespace {

// Perfetto's own format, a protocol buffer, packet by packet (protos/perfetto/trace/trace_packet.proto in the sources
// of Perfetto): numbers of fields, by the message of the format that has them.
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace trace_packet {
constexpr std::uint32_t timestamp = 8, sequence_id = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                        track_descriptor = 60;
constexpr std::uint64_t state_cleared = 1, needs_state = 2;  ///< flags
}  // namespace trace_packet
namespace track_event {
constexpr std::uint32_t category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11,
                        double_counter_value = 44;
}
namespace debug_annotation {
constexpr std::uint32_t name_iid = 1, uint_value = 3;
}
namespace track_descriptor {
constexpr std::uint32_t uuid = 1, name = 2, parent_uuid = 5, counter = 8, child_ordering = 11, sibling_order_rank = 12;
constexpr std::uint64_t explicitly = 3;  ///< how children are ordered
}  // namespace track_descriptor
namespace counter_descriptor {
constexpr std::uint32_t unit_name = 6;
}
namespace interned {
constexpr std::uint32_t iid = 1, name = 2;
}

/// Writes a trace event by event. Times are nanoseconds. The events of a track come in the order of time; where two
/// have the same time, the one that was written first is the first one for viewers, too.
class PerfettoTrace {
 public:
  using Track = std::uint64_t;
  static constexpr Track top = 0;  ///< the parent of groups

  explicit PerfettoTrace(core::OutputFile& file) : file_(file) {}

  /// A track with a name, or a group of tracks, whose parent it is. Tracks of a parent are shown in the order in which
  /// they were added.
  Track add_track(Track parent, std::string_view name) {
    auto track = new_track(parent, name);
    track.number(track_descriptor::child_ordering, track_descriptor::explicitly);
    return describe(std::move(track));
  }
  Track add_counter(Track parent, std::string_view name, std::string_view unit) {
    Message counter;
    counter.text(counter_descriptor::unit_name, unit);
    auto track = new_track(parent, name);
    track.text(track_descriptor::counter, counter.bytes());
    return describe(std::move(track));
  }

  /// A slice within the one that was begun last on the track, if that goes on. `operation` is told beside its name.
  void begin_slice(Track track, std::int64_t time, std::string_view name, std::string_view category,
                   std::optional<std::uint64_t> operation = {}) {
    begin_event(Kind::slice_begin, track, time);
    event_.fields.number(track_event::category_iids, categories_.of(category, new_names_));
    event_.fields.number(track_event::name_iid, names_.of(name, new_names_));
    if (!operation) return;
    Message annotation;
    annotation.number(debug_annotation::name_iid, annotations_.of("operation", new_names_));
    annotation.number(debug_annotation::uint_value, *operation);
    event_.fields.text(track_event::debug_annotations, annotation.bytes());
  }
  void end_slice(Track track, std::int64_t time) {
    // Arrows that were waiting go with the end.
    const bool with_arrows = has_event_ && event_.kind == Kind::instant && event_.track == track && event_.time == time;
    if (with_arrows)
      event_.kind = Kind::slice_end;
    else
      begin_event(Kind::slice_end, track, time);
  }
  /// An arrow from the slice that is open on its track to the one that is open where the arrow ends, which must be
  /// later. An arrow that comes right after the beginning of a slice, or right before its end, belongs to that slice;
  /// any other gets an event of its own.
  void begin_arrow(Track track, std::int64_t time, std::uint64_t id) { arrow(track, time, flow_ids, id); }
  void end_arrow(Track track, std::int64_t time, std::uint64_t id) { arrow(track, time, terminating_flow_ids, id); }
  /// The value of a counter from that time on.
  void count(Track counter, std::int64_t time, double value) {
    begin_event(Kind::counter, counter, time);
    event_.fields.real(track_event::double_counter_value, value);
  }
  /// Ends the trace. Nothing may be written after it.
  void finish() { flush(); }

 private:
  using Message = core::WireWriter;
  enum class Kind : std::uint8_t { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };
  /// An event to which arrows may still come.
  struct Event {
    Kind kind = Kind::instant;
    Track track = top;
    std::int64_t time = 0;
    Message fields;
  };
  static constexpr std::uint32_t flow_ids = 47, terminating_flow_ids = 48;

  /// The numbers by which packets call a text, by the field of InternedData that says so.
  class Names {
   public:
    explicit Names(std::uint32_t field) : field_(field) {}
    std::uint64_t of(std::string_view name, Message& new_names) {
      const auto [place, is_new] = names_.add(std::string(name));
      const auto number = place + 1;  // 0 is no name
      if (!is_new) return number;
      Message entry;
      entry.number(interned::iid, number);
      entry.text(interned::name, name);
      new_names.text(field_, entry.bytes());
      return number;
    }

   private:
    std::uint32_t field_;
    Numbering<std::string, std::uint64_t> names_;
  };

  Message new_track(Track parent, std::string_view name) {
    TOROID_ASSERT(parent <= tracks_);
    Message track;
    track.number(track_descriptor::uuid, ++tracks_);
    track.text(track_descriptor::name, name);
    if (parent != top) track.number(track_descriptor::parent_uuid, parent);
    return track;
  }
  Track describe(Message track) {
    track.number(track_descriptor::sibling_order_rank, tracks_);
    flush();
    Message packet;
    packet.text(trace_packet::track_descriptor, track.bytes());
    write_packet(std::move(packet));
    return tracks_;
  }
  void arrow(Track track, std::int64_t time, std::uint32_t field, std::uint64_t id) {
    const bool fits = has_event_ && event_.track == track && event_.time == time && event_.kind != Kind::slice_end;
    if (!fits) begin_event(Kind::instant, track, time);
    event_.fields.fixed(field, id);
  }
  void begin_event(Kind kind, Track track, std::int64_t time) {
    TOROID_ASSERT(track != top && track <= tracks_);
    flush();
    has_event_ = true;
    event_ = {kind, track, time, {}};
  }
  /// Writes the event that was begun last.
  void flush() {
    if (!std::exchange(has_event_, false)) return;
    if (event_.kind == Kind::instant) event_.fields.number(track_event::name_iid, names_.of("message", new_names_));
    event_.fields.number(track_event::type, static_cast<std::uint64_t>(event_.kind));
    event_.fields.number(track_event::track_uuid, event_.track);
    Message packet;
    packet.number(trace_packet::timestamp, static_cast<std::uint64_t>(event_.time));
    packet.text(trace_packet::track_event, event_.fields.bytes());
    write_packet(std::move(packet));
  }
  void write_packet(Message packet) {
    constexpr std::uint64_t the_sequence = 1;
    packet.number(trace_packet::sequence_id, the_sequence);
    packet.number(trace_packet::sequence_flags,
                  std::exchange(any_, true) ? trace_packet::needs_state : trace_packet::state_cleared);
    if (const auto names = std::exchange(new_names_, {}); !names.bytes().empty())
      packet.text(trace_packet::interned_data, names.bytes());
    Message whole;
    whole.text(trace::packet, packet.bytes());
    file_.write(whole.bytes());
  }

  core::OutputFile& file_;
  Track tracks_ = 0;
  bool any_ = false, has_event_ = false;
  Event event_;
  Message new_names_;  ///< InternedData that goes with the next packet
  Names categories_{1}, names_{2}, annotations_{3};
};

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
