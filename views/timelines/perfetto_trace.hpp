#pragma once
// Traces in Perfetto's own format, which ui.perfetto.dev opens (protos/perfetto/trace/trace_packet.proto in the sources
// of Perfetto): a protocol buffer, packet by packet.

#include "core/output.hpp"
#include "core/wire.hpp"
#include "views/documents/numbering.hpp"

namespace toroid::views {

/// Writes a trace event by event. Times are nanoseconds. The events of a track come in the order of time; where two
/// have the same time, the one that was written first is the first one for viewers, too.
class PerfettoTrace {
 public:
  using Track = std::uint64_t;
  static constexpr Track top = 0;  ///< the parent of groups

  explicit PerfettoTrace(core::OutputFile& file) : file_(file) {}

  /// A track with a name, or a group of tracks, whose parent it is. Tracks of a parent are shown in the order in which
  /// they were added.
  Track add_track(Track parent, std::string_view name);
  /// A track that shows a number.
  Track add_counter(Track parent, std::string_view name, std::string_view unit);

  /// A slice within the one that was begun last on the track, if that goes on. `operation` is told beside its name.
  void begin_slice(Track track, std::int64_t time, std::string_view name, std::string_view category,
                   std::optional<std::uint64_t> operation = {});
  void end_slice(Track track, std::int64_t time);
  /// An arrow from the slice that is open on its track to the one that is open where the arrow ends, which must be
  /// later. An arrow that comes right after the beginning of a slice, or right before its end, belongs to that slice;
  /// any other gets an event of its own.
  void begin_arrow(Track track, std::int64_t time, std::uint64_t id) { arrow(track, time, flow_ids, id); }
  void end_arrow(Track track, std::int64_t time, std::uint64_t id) { arrow(track, time, terminating_flow_ids, id); }
  /// The value of a counter from that time on.
  void count(Track counter, std::int64_t time, double value);
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
    std::uint64_t of(std::string_view name, Message& new_names);

   private:
    std::uint32_t field_;
    Numbering<std::string, std::uint64_t> names_;
  };

  Message new_track(Track parent, std::string_view name);
  Track describe(Message track);
  void arrow(Track track, std::int64_t time, std::uint32_t field, std::uint64_t id);
  void begin_event(Kind kind, Track track, std::int64_t time);
  void flush();
  void write_packet(Message packet);

  core::OutputFile& file_;
  Track tracks_ = 0;
  bool any_ = false, has_event_ = false;
  Event event_;
  Message new_names_;  ///< InternedData that goes with the next packet
  Names categories_{1}, names_{2}, annotations_{3};
};

}  // namespace toroid::views
