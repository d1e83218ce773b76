#pragma once
// What happens in an OTF2 archive, without its library.

#include <cstdint>
#include <string_view>

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

}  // namespace toroid::workloads::otf2
