#pragma once
// What libtoroid_capture.so writes of an MPI process, and reader.cpp reads after the run: a file for each rank,
// a header and then records of numbers. Both are of one build, and the files are gone after it. Nothing here needs to
// be linked.
//
// A number takes seven bits in each byte, the lowest first; the highest bit says that more follow. Signed ones are
// folded: 0, -1, 1, -2, ... A record begins with its kind and with the computation that went by before it. Handles of
// MPI (requests, communicators) are what they are in the process: a number that means something until it is freed.

#include "toroid/workloads/operation.hpp"

namespace toroid::workloads::raw {

// What the library is told by the environment.
inline constexpr const char* folder_variable = "TOROID_CAPTURE_FOLDER";
inline constexpr const char* clock_variable = "TOROID_CAPTURE_CLOCK";         ///< wall, cpu or instructions; empty: any
inline constexpr const char* left_out_variable = "TOROID_CAPTURE_LEAVE_OUT";  ///< files, or empty

inline std::string file_name(std::int32_t rank) {
  return "rank." + std::to_string(rank);
}

enum class State : std::int32_t { recording, ended };  ///< other values: 2 + the errno of what went wrong

inline constexpr std::uint64_t magic = 0x32'77'61'72'64'72'6f'74;  // "tordraw2"

struct Header {
  std::uint64_t magic = raw::magic;
  std::int32_t rank = 0, ranks = 0;
  State state = State::recording;
  /// How many kinds of operations there are; another number means a file of another build.
  std::uint32_t kinds = op_kind_count;
  std::int32_t ranks_here = 0, cores_here = 0;  ///< ranks on the machine of this one, and cores that they may use
  char clock[16] = {};
  char refusal[224] = {};  ///< what cannot be said, and why, which has ended the program; empty: nothing so far
};

enum class Record : std::uint8_t {
  message,       ///< kind, mode, comm, partner*, tag*, bytes, request (0: it blocks); * signed
  exchange,      ///< comm, to*, tag*, bytes, from*, tag*, capacity
  start,         ///< whether one was asked for, number, requests
  completion,    ///< whether one was asked for, number, for each: request, source*, tag*
  renamed,       ///< a request, and what it is called from now on
  silent,        ///< a request that no operation gives
  freed,         ///< request
  collective,    ///< kind, comm, request (0: it blocks), root, bytes, number and send counts, number and receive counts
  neighbours,    ///< comm, request (0: it blocks), number and receives, number and sends, each: partner*, tag*, bytes
  communicator,  ///< parent, whether of a group alone, tag*, comm, number and members (each minus the one before*)
  end
};

/// Bytes that the largest number takes.
inline constexpr std::size_t longest_number = 10;

/// Writes a number at `at`. Returns the place after it.
inline std::uint8_t* encode(std::uint64_t number, std::uint8_t* at) {
  for (; number >= 0x80; number >>= 7U) *at++ = static_cast<std::uint8_t>(number | 0x80U);
  *at++ = static_cast<std::uint8_t>(number);
  return at;
}
constexpr std::uint64_t fold(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unfold(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1U) ^ -static_cast<std::int64_t>(number & 1U);
}

}  // namespace toroid::workloads::raw
