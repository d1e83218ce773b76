#pragma once
// How an execution trace is read, where its files do not say.

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// The most ranks of a trace that files list.
inline constexpr std::int32_t most_trace_ranks = 1 << 20;

struct ChakraOptions {
  bool control = false;                ///< whether nodes wait for those that they depend on by control, too
  bool streams = false;                ///< whether each stream of an accelerator computes beside the others
  std::optional<Computation> by = {};  ///< `timed`: by durations; `modelled`: by operations; none: as the trace has
  std::string groups = {};             ///< a file of process groups; empty: none
  std::int32_t ranks = 0;              ///< this many ranks do what one file says; 0: each has its file
};

/// Reads an execution trace by one of its files.
std::unique_ptr<CompactTrace> read_chakra(const std::string& path, const ChakraOptions& options = {});

}  // namespace toroid::workloads
