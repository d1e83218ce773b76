#include "core/file.hpp"

#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

using namespace std::string_view_literals;

constexpr auto anywhere = std::string_view::npos;  ///< the text may stand anywhere in what is looked at
constexpr std::size_t looked_at = 4096;

/// How files of a format are known: by these bytes, at this place, in files of this name.
struct Signature {
  std::size_t at;
  std::string_view bytes, ending;
  std::string_view what;      ///< the kind of file, in words
  std::string_view expected;  ///< `@` stands for the path
};

constexpr auto recording = "a recording by Score-P (OTF2) or toroid capture"sv;
constexpr auto dumpi = "its text: 'dumpi2ascii @ > FILE' writes it"sv, unzip = "a file of it: unpack it first"sv;
constexpr auto table = "a table as text (CSV)"sv, switches = "a grid, such as torus:4x4x8 (toroid platform show)"sv;
constexpr auto log = "SWF, sacct --parsable2, CSV or a workload of Batsim"sv;

constexpr Signature signatures[] = {
    // What packs, and what is no text.
    {0, "\xfd\x37zXZ\0"sv, "", "data of xz", "a plain file, gzip or zstd: 'xz -dk @' unpacks it"},
    {4, "1AY&SY", "", "data of bzip2", "a plain file, gzip or zstd: 'bzip2 -dk @' unpacks it"},
    {0, "\x04\x22\x4d\x18", "", "data of lz4", "a plain file, gzip or zstd: 'lz4 -dk @' unpacks it"},
    {0, "LZIP", "", "data of lzip", "a plain file, gzip or zstd: 'lzip -dk @' unpacks it"},
    {0, "\x1f\x9d", "", "data of compress", "a plain file, gzip or zstd: 'uncompress -k @' unpacks it"},
    {0, "7z\xbc\xaf\x27\x1c", "", "a 7z archive", unzip},
    {0, "Rar!\x1a", "", "a RAR archive", unzip},
    {0, "PK\x03\x04", "", "a ZIP archive", unzip},
    {257, "ustar", ".cubex", "a profile of Cube, which has no order of events", recording},
    {257, "ustar", "", "a tar archive", unzip},
    {0, "\177ELF", "", "a program or library", "a file of data: toroid capture records what a program does"},
    {0, "\x89HDF\r\n\x1a\n", "", "an HDF5 file", table},
    {0, "CDF\x01", "", "a netCDF file", table},
    {0, "CDF\x02", "", "a netCDF file", table},
    {0, "SQLite format 3\0"sv, "", "a database of SQLite",
     "a table as text: 'sqlite3 -csv @ \"select ...\"' writes it"},
    {0, "PAR1", "", "a Parquet file", table},
    {0, "ARROW1", "", "an Arrow file", table},
    {0, "\x93NUMPY", "", "an array of NumPy", "a matrix as text: numpy.savetxt(..., delimiter=',')"},
    {0, "MATLAB 5.0 MAT-file", "", "a MAT-file of MATLAB", "a matrix as text: writematrix(...) to a .csv"},
    {0, "%PDF-", "", "a PDF file", "a file of data"},
    {0, "\x89PNG\r\n", "", "a picture", "a file of data"},
    // Packets on a wire.
    {0, "\xd4\xc3\xb2\xa1", "", "captured packets (pcap)", recording},
    {0, "\xa1\xb2\xc3\xd4", "", "captured packets (pcap)", recording},
    {0, "\x4d\x3c\xb2\xa1", "", "captured packets (pcap)", recording},
    {0, "\xa1\xb2\x3c\x4d", "", "captured packets (pcap)", recording},
    {0, "\x0a\x0d\x0d\x0a", "", "captured packets (pcapng)", recording},
    // What MPI programs did.
    {0, "\377\252\335DUMPI", "", "a binary trace of DUMPI", dumpi},
    {0, "IPMUD\xdd\xaa\xff", "", "a binary trace of DUMPI", dumpi},
    {anywhere, "\nfileprefix=", "", "a .meta file of DUMPI",
     "a list of the texts that dumpi2ascii writes of its .bin files, one path a line"},
    {anywhere, "\0"sv, ".bin", "a binary file",
     "text: dumpi2ascii writes it for DUMPI; GOAL is read as txt2bin reads it"},
    {0, "#Paraver (", "", "a trace of Paraver", recording},
    {0, "DEFAULT_OPTIONS", ".pcf", "a configuration of Paraver", recording},
    {0, "#DIMEMAS", "", "a trace of Dimemas", recording},
    {0, "CLOG-0", "", "a CLOG trace of MPE", recording},
    {anywhere, "SLOG 2.", "", "a SLOG-2 trace of Jumpshot", recording},
    {anywhere, "dynamic_trace_events", "", "an event file of TAU", "OTF2: TAU_TRACE_FORMAT=otf2 has TAU write it"},
    {anywhere, "templated_functions", "", "a profile of TAU, which has no order of events",
     "OTF2: TAU_TRACE=1 TAU_TRACE_FORMAT=otf2 has TAU write it"},
    {anywhere, "\0"sv, ".trc", "a trace of TAU", "OTF2: TAU_TRACE_FORMAT=otf2 has TAU write it"},
    {0, "", ".otf", "a trace of OTF, version 1", recording},
    {0, "", ".stf", "a trace of the Intel Trace Collector", recording},
    {0, "HPCRUN-", "", "a recording of HPCToolkit", recording},
    {0, "HPCTOOLKIT", "", "a database of HPCToolkit", recording},
    {anywhere, "<HPCToolkitExperiment", "", "a database of HPCToolkit", recording},
    {anywhere, "%EventDef", "", "a trace of Paje, such as SimGrid's of a simulation",
     "a time-independent trace: smpirun -trace-ti writes it"},
    {0, "@ mpiP", "", "a profile of mpiP, which has no order of events", recording},
    {0, "", ".darshan", "a log of Darshan, which is about files", recording},
    {0, "", ".nsys-rep", "a report of Nsight Systems", recording},
    {anywhere, "\"traceEvents\"", "", "a trace of the Chrome kind, as PyTorch and Perfetto have it",
     "a program such as llm (toroid list generators), or a recording"},
    // Machines of others.
    {anywhere, "<!DOCTYPE topology", "", "what hwloc knows of a node", switches},
    {0, "# Topology file: generated", "", "the switches that ibnetdiscover found", switches},
    {anywhere, "SwitchName=", "", "Slurm's topology.conf, a tree of switches",
     "a grid, such as torus:4x4x8, or a topology.yaml with torus3d or ring"},
    {anywhere, "routing_function", "", "a configuration of BookSim", "a grid: k=8 and n=2 of a torus are torus:8x8"},
    {anywhere, "<graphml", "", "a GraphML file", "a grid as an XML file of toroid (toroid platform create)"},
    // Jobs.
    {0, "\"JOB_FINISH\"", "", "a log of LSF", log},
    {0, "JobId=", "", "what scontrol shows", log},
    {anywhere, "JOBID PARTITION", "", "what squeue shows", log},
    {anywhere, " Resource_List.", "", "an accounting log of PBS", log},
};

std::string with_path(std::string_view text, const std::string& path) {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return std::string(text);
  return fmt::format("{}{}{}", text.substr(0, at), path, text.substr(at + 1));
}

}  // namespace

void refuse_foreign(const std::string& path, std::string_view begin) {
  if (begin.starts_with("toroid ")) return;  // whatever its bytes are
  begin = begin.substr(0, looked_at);
  for (const auto& [at, bytes, ending, what, expected] : signatures) {
    if (!path.ends_with(ending)) continue;
    const bool is_there = at == anywhere ? begin.find(bytes) != std::string_view::npos
                                         : begin.size() >= at && begin.substr(at).starts_with(bytes);
    if (is_there) fail_input("{}: found {}, expected {}", path, what, with_path(expected, path));
  }
}

}  // namespace toroid::core
