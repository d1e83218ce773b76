#pragma once
// The trace formats, a folder each (their table is in formats.cpp), and each reader and writer by itself. What readers
// understand is in docs/reference/traces.md. Readers throw InputError `file:line: found, expected` on all else; nothing
// is skipped. Writers throw InputError on what a format cannot say.

#include "core/output.hpp"
#include "workloads/collectives/collectives.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

struct TraceFormat {
  /// Whether the file looks like one of this format.
  bool (*recognizes)(const std::string& path);
  /// Reads a trace. Throws InputError on anything that is not understood.
  std::unique_ptr<Trace> (*read)(const std::string& path);
  /// Adds a trace to the outputs (zstd if the name ends in .zst), with these algorithms where collectives are written
  /// as their messages. Throws InputError on what the format cannot say. Null: the format is only read.
  using Write = void (*)(const Trace& trace, const CollectiveChoice& collectives, core::OutputSet& outputs,
                         const std::string& path);
  Write write = nullptr;
  Write write_per_rank = nullptr;  ///< writes a file for each rank, and `path`, which lists them
};

/// The trace formats; the first that recognizes a file reads it.
const core::Registry<TraceFormat>& trace_formats();

/// A reader as TraceFormat::read has it.
template <std::unique_ptr<CompactTrace> (*read)(const std::string& path)>
std::unique_ptr<Trace> as_trace(const std::string& path) {
  return read(path);
}
/// A writer that writes collectives as they are, as TraceFormat::write has it.
template <void (*write)(const Trace& trace, core::OutputSet& outputs, const std::string& path)>
void write_as_they_are(const Trace& trace, const CollectiveChoice&, core::OutputSet& outputs, const std::string& path) {
  write(trace, outputs, path);
}

// Our own form, which says all that operations can say: what a rank does, each operation spelled out once, and then its
// program, as bytes that are taken into memory as they are, or as text, to be read and mended.

std::unique_ptr<CompactTrace> read_own(const std::string& path);
/// Writes a trace in this form. Throws InputError, with the place, on operations on communicators that the trace does
/// not have.
void write_own(const Trace& trace, core::OutputFile& file);
void write_own(const Trace& trace, core::OutputSet& outputs, const std::string& path);
/// Writes a trace as write_own() does, but in the form that is text throughout.
void write_own_text(const Trace& trace, core::OutputSet& outputs, const std::string& path);

// SimGrid's time-independent traces, as smpirun -trace-ti writes and smpirun -replay reads them (SimGrid 3.32):
//   - a top file with the paths of per-rank files, line i for rank i, relative to the current directory or the top
//   file;
//   - a top file with one path: one file shared by all ranks; or that shared file itself, its lines (`RANK ACTION ...`)
//     in rank order or interleaved.

std::unique_ptr<CompactTrace> read_ti(const std::string& path);
/// Adds a trace to the outputs as one shared TI file in rank order (zstd if the name ends in .zst), with messages
/// counted in elements of the datatype BYTE. What TI cannot say (a collective on another communicator than the world)
/// is an InputError.
void write_ti(const Trace& trace, core::OutputSet& outputs, const std::string& path);
/// Writes a trace as write_ti() does, but as a top file `path` and one file per rank beside it, which smpirun -replay
/// reads in constant memory.
void write_ti_per_rank(const Trace& trace, core::OutputSet& outputs, const std::string& path);

// GOAL, the input of LogGOPSim: for each rank sends, receives and calculations, and which of them require that others
// have ended (`requires`) or begun (`irequires`). T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly
// Language, ICPP 2009. graph/order.hpp says what becomes of a rank's graph.

std::unique_ptr<CompactTrace> read_goal(const std::string& path);
/// Adds a trace to the outputs as a GOAL schedule (zstd if the name ends in .zst). Collectives are written as the
/// messages of their algorithms, a flop as a nanosecond. What GOAL cannot say (any source or tag, waits for one of
/// several requests, sends that are not standard) is an InputError.
void write_goal(const Trace& trace, const CollectiveChoice& collectives, core::OutputSet& outputs,
                const std::string& path);

/// Adds a trace to the outputs as execution traces of Chakra, PREFIX.RANK.et, where `path` is PREFIX.%d.et. Collectives
/// that Chakra has no name for are written as the messages of their algorithms. What Chakra cannot say (any source or
/// tag, waits for one of several requests, sends that are not standard) is an InputError.
void write_chakra(const Trace& trace, const CollectiveChoice& collectives, core::OutputSet& outputs,
                  const std::string& path);

/// DUMPI, the traces of the SST simulators, as their program dumpi2ascii prints them: a text per rank, in which each
/// MPI call has a line where it is entered, one for each argument, and one where it returns, with wall times. A trace
/// is a top file with the paths of such texts, in rank order, or the text of a program of one rank.
std::unique_ptr<CompactTrace> read_dumpi(const std::string& path);

/// OTF2, the archives of Score-P and other tracers: a file *.otf2, beside it a file of definitions, and a folder with
/// the events of each location. Throws InputError with the location and the number of the event, and on every archive
/// if toroid was built without the OTF2 library.
std::unique_ptr<CompactTrace> read_otf2(const std::string& path);

/// Reads what libtoroid_capture.so has recorded of an MPI program (formats/capture/raw_capture.hpp): the files of all
/// ranks in a folder. Throws InputError when they are not one complete run of one program, or the program has called
/// what a trace cannot express.
std::unique_ptr<CompactTrace> read_capture(const std::string& folder);
/// Throws InputError if a rank has ended the program in this folder, as it has called what a trace cannot express.
void check_refusals(const std::string& folder);

}  // namespace toroid::workloads
