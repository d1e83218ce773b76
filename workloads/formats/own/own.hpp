#pragma once
// Our own form of traces, which says all that operations can say: what a rank does, each operation spelled out once,
// and then its program, as bytes that are taken into memory as they are, or as text, to be read and mended. The grammar
// is in docs/reference/traces.md.

#include <memory>
#include <string>

#include "core/output.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// The version in which files are written; earlier ones are read, too. Version 2 added puts and fences, version 3
/// blocks of code.
inline constexpr std::int32_t own_version = 4;
/// The most bytes that each of the three strings of a block has.
inline constexpr std::int32_t own_block_size = 1 << 20;

/// Reads a trace into memory. Throws InputError `file:line: found, expected` on anything that is not understood
/// completely.
std::unique_ptr<CompactTrace> read_own(const std::string& path);

/// Reads a trace as read_own() does, but leaves the blocks of code of an uncompressed file there, and reads each of
/// them when it is needed. The file must not change while the trace lives.
std::unique_ptr<Trace> read_own_stored(const std::string& path);

/// Adds a trace to the outputs in this form (zstd if the name ends in .zst). Throws InputError, with the place, on
/// operations on communicators that the trace does not have.
void write_own(const Trace& trace, core::OutputSet& outputs, const std::string& path);
void write_own(const Trace& trace, core::OutputFile& file);
/// Writes a trace as write_own() does, but in the form that is text throughout.
void write_own_text(const Trace& trace, core::OutputSet& outputs, const std::string& path);

}  // namespace toroid::workloads
