#include <dlfcn.h>

#include <cerrno>
#include <filesystem>
#include <list>

#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/tables/summary_lines.hpp"
#include "workloads/formats/capture/raw_capture.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::cli {
namespace {

struct CaptureOptions {
  std::string output = "captured.trace", clock, left_out;
  std::vector<std::string> command;
};

/// The path of the library for MPI programs, which lies beside the program or where the program was installed.
std::string library_path() {
  const auto path =
      core::path_of_library(core::open_library("libtoroid_capture.so", RTLD_LAZY | RTLD_LOCAL,
                                               "expected the package toroid-mpi, or a build where Open MPI is: "));
  if (path.find_first_of(" :") != std::string::npos)
    core::fail_input("{}: found a blank or a colon, expected a path without: LD_PRELOAD takes them as its end", path);
  return path;
}

/// The folder for temporary files, by a path that also holds for a program that goes into another folder.
std::filesystem::path temporary_folder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) core::fail_input("TMPDIR: {}, expected a folder for temporary files", error.message());
  return std::filesystem::absolute(folder);
}

/// Where the ranks write, on a disk that all of them see (TMPDIR), until this object ends.
class RankFiles {
 public:
  RankFiles() : folder_((temporary_folder() / "toroid-capture-XXXXXX").string()) {
    if (::mkdtemp(folder_.data()) == nullptr) core::fail_input("{}: {}", folder_, std::strerror(errno));
    ephemeral_.emplace_back(folder_);
  }
  ~RankFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  RankFiles(const RankFiles&) = delete;
  RankFiles& operator=(const RankFiles&) = delete;

  const std::string& folder() const { return folder_; }
  /// Notes the files of all ranks, which have been written by now.
  void find() {
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      ephemeral_.emplace_back(entry.path().string());
  }

 private:
  std::string folder_;
  std::list<core::Ephemeral> ephemeral_;
};

void capture(const CaptureOptions& o) {
  for (const auto& word : o.command) core::Inputs::keep(word);  // the program, and files that it may be told to read
  core::OutputSet outputs;
  // Now, so that a wrong path costs no run, and once: who reads a pipe takes its end for that of the trace.
  auto& output = outputs.add(o.output);
  if (output.is_standard_output())
    core::fail_input("-o: found {}, expected a file: the program has the standard output", o.output);
  const auto library = library_path();
  const char* others = std::getenv("LD_PRELOAD");
  RankFiles files;
  try {
    core::run_program(o.command, {{"LD_PRELOAD", others == nullptr ? library : library + ":" + others},
                                  {workloads::raw::folder_variable, files.folder()},
                                  {workloads::raw::clock_variable, o.clock},
                                  {workloads::raw::left_out_variable, o.left_out}});
  } catch (const core::SimulationError&) {
    workloads::check_refusals(files.folder());  // then the library has ended the program
    throw;
  }
  files.find();
  const auto trace = workloads::read_capture(files.folder());
  workloads::write_own(*trace, output);
  outputs.commit();
  fmt::print("{}: {} ranks, {} operations\n", o.output, trace->ranks(), trace->operation_count());
  if (trace->recording().is_crowded())
    print(fmt::format("computation is recorded {}\n", recording_in_words(trace->recording())));
}

Options capture_options(CaptureOptions& o) {
  return {
      {"-o,--output", o.output, output_file(), "file; compressed if its name ends in .zst or .gz"},
      {"--clock", o.clock, one_of({"wall", "cpu", "instructions"}),
       "how computation between calls of MPI is measured: wall time, cpu time of all threads of a rank (a nanosecond "
       "counts as a flop), or instructions (each counts as a flop) (default: wall; cpu where more ranks run on a "
       "machine than it has cores for them)"},
      {"--leave-out", o.left_out, one_of({"files"}),
       "files: calls of MPI on files are no operations of the trace, and take no time in it; without this option the "
       "first one ends the program, as a trace cannot say what it does"},
      {"COMMAND", o.command, required, "behind --: the program, as it is started, with mpirun and its arguments"},
  };
}

}  // namespace

void add_capture(CLI::App& app) {
  add_command<CaptureOptions>(
      app, "capture",
      "run an MPI program and record what it does as a trace in our own form: toroid capture -- mpirun ...",
      capture_options, capture);
}

}  // namespace toroid::cli
