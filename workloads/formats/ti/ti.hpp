#pragma once
// SimGrid's time-independent traces, as smpirun -trace-ti writes and smpirun -replay reads them (SimGrid 3.32):
//   - a top file with the paths of per-rank files, line i for rank i, relative to the current directory or the top
//   file;
//   - a top file with one path: one file shared by all ranks; or that shared file itself, its lines (`RANK ACTION ...`)
//     in rank order or interleaved.
// Each file is plain, gzip or zstd. The grammar is in docs/reference/traces.md.

#include <memory>
#include <string>

#include "core/output.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// Reads a trace. Throws InputError `file:line: found, expected` on anything that is not understood completely; nothing
/// is skipped.
std::unique_ptr<CompactTrace> read_ti(const std::string& path);

/// Adds a trace to the outputs as one shared TI file in rank order (zstd if the name ends in .zst), with messages
/// counted in elements of the datatype BYTE. What TI cannot say (a collective on another communicator than the world)
/// is an InputError.
void write_ti(const Trace& trace, core::OutputSet& outputs, const std::string& path);

/// Writes a trace as write_ti() does, but as a top file `path` and one file per rank beside it, which smpirun -replay
/// reads in constant memory.
void write_ti_per_rank(const Trace& trace, core::OutputSet& outputs, const std::string& path);

// Write these files at once.
void write_ti(const Trace& trace, const std::string& path);
void write_ti_per_rank(const Trace& trace, const std::string& path);

/// Bytes of one element of a datatype by its id in TI traces (SimGrid 3.32); 0 if there is no such id.
std::uint64_t ti_datatype_size(std::int32_t id);

}  // namespace toroid::workloads
