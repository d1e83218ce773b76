#include "tests/support/perfetto_trace.hpp"

#include <bit>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace toroid::test {
namespace {

using core::Json;

/// A field of a message: a number, or the bytes of a text or message.
struct Field {
  std::uint64_t number = 0, value = 0;
  std::string_view bytes;
};

class Fields {
 public:
  explicit Fields(std::string_view message) {
    while (!message.empty()) {
      const auto key = varint(message);
      Field field{key >> 3U, 0, {}};
      switch (key & 7U) {
        case 0:
          field.value = varint(message);
          break;
        case 1: {
          const auto eight = take(message, 8);
          for (std::size_t i = 0; i < 8; ++i)
            field.value |= std::uint64_t{static_cast<unsigned char>(eight[i])} << (8 * i);
          break;
        }
        case 2:
          field.bytes = take(message, varint(message));
          break;
        default:
          throw std::runtime_error("a field of an unknown type");
      }
      all_.push_back(field);
    }
  }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  bool has(std::uint64_t number) const { return find(number) != nullptr; }
  std::uint64_t value(std::uint64_t number) const { return need(number).value; }
  std::string text(std::uint64_t number) const { return std::string(need(number).bytes); }
  Fields message(std::uint64_t number) const { return Fields(need(number).bytes); }

 private:
  static std::string_view take(std::string_view& message, std::uint64_t count) {
    if (count > message.size()) throw std::runtime_error("a message that is cut off");
    const auto taken = message.substr(0, count);
    message.remove_prefix(count);
    return taken;
  }
  static std::uint64_t varint(std::string_view& message) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(message, 1)[0]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("a number that does not end");
  }
  const Field* find(std::uint64_t number) const {
    for (const auto& field : all_)
      if (field.number == number) return &field;
    return nullptr;
  }
  const Field& need(std::uint64_t number) const {
    const auto* field = find(number);
    if (field == nullptr) throw std::runtime_error("a message without field " + std::to_string(number));
    return *field;
  }

  std::vector<Field> all_;
};

/// What packets call by numbers.
class Reader {
 public:
  void read(const Fields& packet) {
    if (!packet.has(10)) throw std::runtime_error("a packet of no sequence");  // trusted_packet_sequence_id
    const auto flags = packet.value(13);
    if ((flags & 1U) != 0) is_valid_ = true;
    if (!is_valid_) throw std::runtime_error("a packet before the state of its sequence");
    if (packet.has(12)) learn(packet.message(12));
    if (packet.has(60)) add_track(packet.message(60));
    if (packet.has(11)) add_event(packet.message(11), packet.value(8));
  }
  Json take() { return {{"tracks", std::move(all_tracks_)}, {"events", std::move(events_)}}; }

 private:
  struct Track {
    std::string name, group;
    bool counts = false;
  };

  void learn(const Fields& interned) {
    for (const auto& field : interned) {
      const Fields entry(field.bytes);
      names_[{field.number, entry.value(1)}] = entry.text(2);
    }
  }
  std::string name(std::uint64_t kind, std::uint64_t number) const {
    const auto found = names_.find({kind, number});
    if (found == names_.end()) throw std::runtime_error("a name that nobody has defined");
    return found->second;
  }

  void add_track(const Fields& track) {
    const auto group = track.has(5) ? tracks_.at(track.value(5)).name : std::string();
    if (!tracks_.try_emplace(track.value(1), Track{track.text(2), group, track.has(8)}).second)
      throw std::runtime_error("a track of a number that another one has");
    all_tracks_.push_back({{"name", track.text(2)}, {"group", group}});
  }

  void add_event(const Fields& event, std::uint64_t time) {
    const auto& track = tracks_.at(event.value(11));
    const auto type = event.value(9);
    static const std::map<std::uint64_t, std::string> kinds{{1, "begin"}, {2, "end"}, {3, "instant"}, {4, "counter"}};
    if ((type == 4) != track.counts) throw std::runtime_error("a counter that is none, or the other way round");
    Json all{{"kind", kinds.at(type)}, {"track", track.name}, {"group", track.group}, {"time", time}};
    for (const auto& field : event) switch (field.number) {
        case 3:
          all["category"] = name(1, field.value);
          break;
        case 4: {
          const Fields annotation(field.bytes);
          all["arguments"][name(3, annotation.value(1))] = argument(annotation);
          break;
        }
        case 10:
          all["name"] = name(2, field.value);
          break;
        case 44:
          all["value"] = std::bit_cast<double>(field.value);
          break;
        case 47:
          all["flows"].push_back(field.value);
          break;
        case 48:
          all["ending_flows"].push_back(field.value);
          break;
        default:
          break;
      }
    events_.push_back(std::move(all));
  }

  static Json argument(const Fields& annotation) {
    if (annotation.has(3)) return annotation.value(3);
    if (annotation.has(4)) return static_cast<std::int64_t>(annotation.value(4));
    if (annotation.has(5)) return std::bit_cast<double>(annotation.value(5));
    return annotation.text(6);
  }

  bool is_valid_ = false;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names_;
  std::map<std::uint64_t, Track> tracks_;
  Json all_tracks_ = Json::array(), events_ = Json::array();
};

}  // namespace

Json read_perfetto(const std::string& trace) {
  Reader reader;
  for (const auto& field : Fields(trace)) {
    if (field.number != 1) throw std::runtime_error("a field of a trace that is no packet");
    reader.read(Fields(field.bytes));
  }
  return reader.take();
}

}  // namespace toroid::test
