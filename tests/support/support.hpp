#pragma once
// What the tests share: scratch files, the command as a user runs it, the real data where it is present.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "netsim/network.hpp"
#include "tests/support/ids.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/json.hpp"
#include "toroid/netsim/replay_options.hpp"
#include "toroid/netsim/results/replay_report.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::test {

/// Whether these tests, and the command with them, are built with sanitizers.
#ifdef TOROID_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// Where things are: the command, the library of machines for SimGrid, the checkout. Functions, since statics of other
/// files need them before main() begins.
std::string toroid_command();
std::string platform_library();
std::string source_folder();

/// A folder that is gone when the test ends.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path folder_;
};

/// The same, with `text` compressed.
std::string zstd_compressed(const std::string& text);
std::string gzip_compressed(const std::string& text);

/// All bytes of a file.
std::string content(const std::string& path);

struct CommandResult {
  int exit_code;
  std::string out, err;
};

/// Runs `toroid ARGUMENTS` through the shell; stops it after a minute.
CommandResult run_toroid(const std::string& arguments);

/// The JSON that `toroid ARGUMENTS --json -` prints, which must end well and complain of nothing.
core::Json json_of(const std::string& arguments);

/// Runs `toroid ARGUMENTS` and interrupts it, once, when it has computed for a second: however slow the machine is, its
/// search has begun by then. Returns its exit code, or the signal that ended it, negative.
int run_interrupted(const std::string& arguments);

/// For bash: Open MPI runs as the administrator, and more ranks than there are cores.
inline const std::string open_mpi_settings =
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1";

/// Runs a script of bash, in which $toroid is the command; stops it after a minute.
CommandResult run_script(const std::string& text);

/// Checks that `toroid ARGUMENTS` ends with that exit code, one line on standard error that contains `text`, and
/// nothing on standard output.
void check_fails(const std::string& arguments, int exit_code, const std::string& text);

/// The file below the folder `shared/data` beside the project, or an empty string with a message in the test's output
/// when it is not there: the test then returns.
std::string shared_data(const std::string& relative_path);

/// A trace from TI text: lines `RANK ACTION ...`.
std::unique_ptr<workloads::CompactTrace> trace_of(const std::string& text);

/// Rank r on the r-th of the nodes that compute.
netsim::Mapping in_order(const platforms::Machine& machine, std::int32_t ranks);

/// The result of a run, rank r on node r unless `mapping` says otherwise, on a machine given as a spec.
core::Json simulate(const std::string& platform, const workloads::Trace& trace, netsim::ReplayOptions options = {},
                    netsim::Mapping mapping = {}, const std::string& engine = "simgrid");
core::Json simulate(const std::string& platform, const std::string& trace_text, netsim::ReplayOptions options = {},
                    netsim::Mapping mapping = {}, const std::string& engine = "simgrid");

/// The message of the exception that `action` throws as an Error; an empty string if it throws nothing.
template <class Error, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}
/// The message of the InputError that `action` throws; an empty string if it throws nothing.
template <class Action>
std::string error_of(Action action) {
  return message_of<core::InputError>(action);
}

}  // namespace toroid::test
