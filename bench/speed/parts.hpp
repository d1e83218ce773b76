#pragma once
// The parts of bench/speed. Each prints tables of the documentation, with the figures of this computer.

#include <fmt/format.h>

#include "bench/measure.hpp"

namespace toroid::bench {

struct SpeedOptions {
  bool small = false;             ///< the first case of each table alone, and little of that
  std::string data;               ///< folder of logs
  std::string sharing = "equal";  ///< how smpirun shares links
  std::string alltoall;           ///< algorithm of all-to-alls in smpirun, if not its default
  std::vector<std::string> traces;

  /// The cases that are to be run.
  template <class Cases>
  auto of(const Cases& cases) const {
    return std::vector(std::begin(cases), small ? std::next(std::begin(cases)) : std::end(cases));
  }
};

using SpeedPart = void(const SpeedOptions&);
SpeedPart measure_random, measure_saturation, measure_packets, measure_threads;  // traffic.cpp
SpeedPart measure_repeats, measure_sizes;                                        // replays.cpp
SpeedPart measure_smpirun, measure_allocators;                                   // files of their own
SpeedPart measure_traces, measure_batch, measure_commands;                       // files.cpp, commands.cpp

inline void print(const core::Table& table) {
  fmt::print("\n{}", table.markdown());
  std::fflush(stdout);
}

}  // namespace toroid::bench
