#pragma once
// What an OTF2 archive says of MPI, without its library: that reads damaged archives in ways of its own, so it works in
// processes of their own, which send what they find as the plain structures here.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::workloads::otf2 {

/// The number by which the archive refers to a region, communicator or window.
using Ref = std::uint32_t;
using LocationRef = std::uint64_t;

/// What MPI did at a location. Fields that a kind does not use are 0.
struct Event {
  enum class Kind : std::uint8_t {
    enter,            ///< what: the region
    leave,            ///< what: the region
    flush,            ///< until `bytes`, a time: the tracer wrote its buffer
    switched,         ///< bytes: whether what follows is recorded
    send,             ///< partner, what (communicator), tag, bytes
    isend,            ///< like send, and request
    isend_end,        ///< request
    recv,             ///< like send
    irecv,            ///< request
    irecv_end,        ///< like isend: what was received
    cancelled,        ///< request
    collective,       ///< op, partner (root), what, bytes (sent), received
    icollective,      ///< request
    icollective_end,  ///< like collective, and request
    put,              ///< partner, what (window), bytes
    window_op,        ///< op, what (window): a collective on a window
    refused           ///< an event that is not understood; tag: which one, see refused_event()
  } kind = Kind::enter;
  std::uint8_t op = 0;  ///< OTF2_CollectiveOp
  std::uint32_t partner = 0;
  Ref what = 0;
  std::uint32_t tag = 0;
  std::uint64_t time = 0;    ///< ticks of the location's own clock
  std::uint64_t number = 0;  ///< number of the event at its location, from 1
  std::uint64_t bytes = 0, received = 0, request = 0;
};

/// The name of an event that is not understood.
std::string_view refused_event(std::uint32_t which);

/// Kinds of communicators. Only those of kind `group` have a list of the ranks in them.
enum class CommKind : std::uint8_t { group, self, inter, other };
struct CommHead {
  Ref ref = 0;
  CommKind kind = CommKind::other;
  bool is_global = false;  ///< events name partners by their ranks in the world
};

struct Definitions {
  std::uint64_t resolution = 1;  ///< ticks of the clock in a second
  /// Whether toroid predicted the run: messages of collectives are messages like all others then, and a message is
  /// received where it arrived, in whatever call.
  bool is_predicted = false;
  std::vector<LocationRef> ranks;                              ///< the locations of the ranks of MPI
  std::vector<std::pair<LocationRef, std::uint64_t>> threads;  ///< other threads, with their numbers of events
  std::vector<std::pair<LocationRef, std::uint64_t>> events;   ///< number of events of each rank's location
  std::vector<std::pair<Ref, std::string>> regions;            ///< calls of MPI, by name
  std::vector<std::pair<CommHead, std::vector<std::uint64_t>>>
      comms;                                 ///< communicators, groups with their members as ranks of the world
  std::vector<std::pair<Ref, Ref>> windows;  ///< windows of MPI and their communicators
};

/// The files of an archive: its own, that of its definitions, and those in its folder.
std::vector<std::string> files_of(const std::string& path);

/// Reads the definitions of an archive. Throws InputError unless it is an archive of MPI processes that can be read to
/// its end.
Definitions read_definitions(const std::string& path);

/// Reads what happened at locations, one after the other in the order given, several at a time.
class EventReader {
 public:
  /// `locations` are those to read, each with its number of events.
  EventReader(std::string path, std::vector<std::pair<LocationRef, std::uint64_t>> locations)
      : path_(std::move(path)), locations_(std::move(locations)) {}

  /// The events of the next location. Throws InputError when the archive is damaged.
  std::vector<Event> next();

 private:
  std::string path_;
  std::vector<std::pair<LocationRef, std::uint64_t>> locations_;
  std::vector<std::vector<Event>> read_;  ///< events of the locations before `after_`, those of the next one last
  std::size_t after_ = 0;
};

}  // namespace toroid::workloads::otf2
