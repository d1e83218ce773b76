#pragma once
// Measured times of single messages, as benchmarks of MPI print them.

#include "toroid/platforms/machine.hpp"

namespace toroid::study {

/// A message that had the machine to itself.
struct Measurement {
  platforms::NodeId from{}, to{};
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< the time from the send until its last byte has arrived: half of a ping-pong's round trip
};

/// Reads the measurements that an argument names, FILE or FILE@FROM,TO with the two nodes that were measured:
///
///   - a table with the columns from, to, bytes and one of s, ms, us, ns (CSV with a header); nodes as 3 or n3;
///   - what osu_latency prints, or PingPong of the Intel MPI Benchmarks, with @FROM,TO.
///
/// Throws InputError with file and line where a line is none of that, a node does not compute, or a time is none of
/// 1 ps to 1000000 s.
std::vector<Measurement> read_measurements(const std::string& argument, const platforms::Machine& machine);

}  // namespace toroid::study
