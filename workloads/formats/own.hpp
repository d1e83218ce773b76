#pragma once
// Our own form of traces, which says all that operations can say: what a rank does, each operation spelled out once,
// and then its program, as bytes that are taken into memory as they are, or as text, to be read and mended. The grammar
// is in docs/traces.md.

#include <memory>
#include <string>

#include "core/output.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// What files are written in; earlier versions are read, too. Version 2 has puts and fences, version 3 blocks of code.
inline constexpr std::int32_t own_version = 3;
/// At most so many bytes has each of the three strings of a block.
inline constexpr std::int32_t own_block_size = 1 << 20;

/// Throws InputError `file:line: found, expected` on anything that is not understood completely.
std::unique_ptr<CompactTrace> read_own(const std::string& path);

/// The same, but of a plain file blocks of code are read each time that they are needed. The file must stay as it is
/// while the trace is there.
std::unique_ptr<Trace> read_own_stored(const std::string& path);

/// Adds a trace to the outputs in this form (zstd if the name ends in .zst). Throws InputError, with the place, on
/// operations on communicators that the trace does not have.
void write_own(const Trace& trace, core::OutputSet& outputs, const std::string& path);
void write_own(const Trace& trace, core::OutputFile& file);
/// The same as text.
void write_own_text(const Trace& trace, core::OutputSet& outputs, const std::string& path);

}  // namespace toroid::workloads
