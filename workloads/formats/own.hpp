#pragma once
// Our own form of traces, which says all that operations can say. Text, so that it can be read and mended: an operation
// is spelled out where a rank does it first, and a number from then on. The grammar is in docs/traces.md.

#include <memory>
#include <string>

#include "core/output.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// The first line of a file. Version 2 has puts and fences; files of version 1 are read, too.
inline constexpr std::string_view own_header = "toroid trace 2", first_own_header = "toroid trace 1";

/// Throws InputError `file:line: found, expected` on anything that is not understood completely.
std::unique_ptr<CompactTrace> read_own(const std::string& path);

/// Adds a trace to the outputs in this form (zstd if the name ends in .zst). Throws InputError, with the place, on
/// operations on communicators that the trace does not have.
void write_own(const Trace& trace, core::OutputSet& outputs, const std::string& path);

}  // namespace toroid::workloads
