#pragma once
// Programs that end, drawn by lot: what all ranks do is drawn in one order, so that none waits for what comes later.

#include <memory>

#include "core/random.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

struct RandomProgramOptions {
  std::int32_t ranks = 4;
  int events = 40;          ///< messages, collectives, computations, waits
  bool collectives = true;  ///< on the world and on two communicators, blocking or not
  bool nonblocking = true;  ///< collectives too
  bool persistent = true;
  bool uncertain = true;    ///< waits for one of several requests, tests
  bool synchronous = true;  ///< sends too
  bool all_kinds = false;   ///< what the others leave out: more collectives, exchanges, receives from any source, ...
  bool alltoallv = true;    ///< or alltoall in its place
  bool puts = false;        ///< puts and fences, too, on all communicators
  bool empty = false;       ///< of the small messages, many without bytes
  std::uint64_t large = 100'000;  ///< bytes of the large ones, a little less than they have
};

std::unique_ptr<CompactTrace> random_program(core::Random& random, const RandomProgramOptions& options = {});

/// The program several times over, as a tracer records it: each computation takes up to `noise` (a share) more or less
/// each time, and the tracer misses those below `least`.
std::unique_ptr<CompactTrace> recorded(core::Random& random, const Trace& program, int times, double noise,
                                       double least = 0);

}  // namespace toroid::workloads
