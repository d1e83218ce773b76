#include "views/timelines/perfetto_trace.hpp"

namespace toroid::views {
namespace {

// Numbers of fields, by the message of the format that has them.
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

}  // namespace

std::uint64_t PerfettoTrace::Names::of(std::string_view name, Message& new_names) {
  const auto [place, is_new] = names_.add(std::string(name));
  const auto number = place + 1;  // 0 is no name
  if (!is_new) return number;
  Message entry;
  entry.number(interned::iid, number);
  entry.text(interned::name, name);
  new_names.text(field_, entry.bytes());
  return number;
}

PerfettoTrace::Message PerfettoTrace::new_track(Track parent, std::string_view name) {
  TOROID_ASSERT(parent <= tracks_);
  Message track;
  track.number(track_descriptor::uuid, ++tracks_);
  track.text(track_descriptor::name, name);
  if (parent != top) track.number(track_descriptor::parent_uuid, parent);
  return track;
}

PerfettoTrace::Track PerfettoTrace::add_track(Track parent, std::string_view name) {
  auto track = new_track(parent, name);
  track.number(track_descriptor::child_ordering, track_descriptor::explicitly);
  return describe(std::move(track));
}

PerfettoTrace::Track PerfettoTrace::add_counter(Track parent, std::string_view name, std::string_view unit) {
  Message counter;
  counter.text(counter_descriptor::unit_name, unit);
  auto track = new_track(parent, name);
  track.text(track_descriptor::counter, counter.bytes());
  return describe(std::move(track));
}

PerfettoTrace::Track PerfettoTrace::describe(Message track) {
  track.number(track_descriptor::sibling_order_rank, tracks_);
  flush();
  Message packet;
  packet.text(trace_packet::track_descriptor, track.bytes());
  write_packet(std::move(packet));
  return tracks_;
}

void PerfettoTrace::begin_slice(Track track, std::int64_t time, std::string_view name, std::string_view category,
                                std::optional<std::uint64_t> operation) {
  begin_event(Kind::slice_begin, track, time);
  event_.fields.number(track_event::category_iids, categories_.of(category, new_names_));
  event_.fields.number(track_event::name_iid, names_.of(name, new_names_));
  if (!operation) return;
  Message annotation;
  annotation.number(debug_annotation::name_iid, annotations_.of("operation", new_names_));
  annotation.number(debug_annotation::uint_value, *operation);
  event_.fields.text(track_event::debug_annotations, annotation.bytes());
}

void PerfettoTrace::end_slice(Track track, std::int64_t time) {
  // Arrows that were waiting go with the end.
  const bool with_arrows = has_event_ && event_.kind == Kind::instant && event_.track == track && event_.time == time;
  if (with_arrows)
    event_.kind = Kind::slice_end;
  else
    begin_event(Kind::slice_end, track, time);
}

void PerfettoTrace::arrow(Track track, std::int64_t time, std::uint32_t field, std::uint64_t id) {
  const bool fits = has_event_ && event_.track == track && event_.time == time && event_.kind != Kind::slice_end;
  if (!fits) begin_event(Kind::instant, track, time);
  event_.fields.fixed(field, id);
}

void PerfettoTrace::count(Track counter, std::int64_t time, double value) {
  begin_event(Kind::counter, counter, time);
  event_.fields.real(track_event::double_counter_value, value);
}

void PerfettoTrace::begin_event(Kind kind, Track track, std::int64_t time) {
  TOROID_ASSERT(track != top && track <= tracks_);
  flush();
  has_event_ = true;
  event_ = {kind, track, time, {}};
}

/// Writes the event that was begun last.
void PerfettoTrace::flush() {
  if (!std::exchange(has_event_, false)) return;
  if (event_.kind == Kind::instant) event_.fields.number(track_event::name_iid, names_.of("message", new_names_));
  event_.fields.number(track_event::type, static_cast<std::uint64_t>(event_.kind));
  event_.fields.number(track_event::track_uuid, event_.track);
  Message packet;
  packet.number(trace_packet::timestamp, static_cast<std::uint64_t>(event_.time));
  packet.text(trace_packet::track_event, event_.fields.bytes());
  write_packet(std::move(packet));
}

void PerfettoTrace::write_packet(Message packet) {
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

}  // namespace toroid::views
