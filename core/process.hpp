#pragma once
// This process among others: standard streams that are open, signals that end it without leaving anything behind,
// programs that it runs and libraries that it opens.

#include <sys/types.h>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace toroid::core {

/// Prepares the process; `main` calls it before anything else. Standard streams that are closed become /dev/null, so
/// that no file that is opened takes their place. A signal that ends the process first removes everything that is
/// Ephemeral; so does lack of memory, which ends the process at once with exit code 1. A file that reaches its size
/// limit is a write error, not a signal.
void prepare_process();

/// Whether there was a standard output when the process was prepared.
bool has_standard_output();

/// From now on, what others in this process and the programs that they start print on standard output goes to standard
/// error. What is printed through `stdout` goes where it went before.
void keep_standard_output();

/// A file, a folder or a process that is removed when a signal ends this process. Each output under construction has
/// one, and each worker.
class Ephemeral {
 public:
  enum class Content : std::uint8_t {
    nothing,    ///< a folder is removed only if nothing is in it by then
    everything  ///< a folder is removed with all that is in it
  };
  explicit Ephemeral(const std::string& path, Content content = Content::nothing);
  explicit Ephemeral(pid_t process);
  ~Ephemeral();  ///< what it stands for may outlive this process from now on
  Ephemeral(const Ephemeral&) = delete;
  Ephemeral& operator=(const Ephemeral&) = delete;

  struct Entry;

 private:
  Entry* entry_;
};

/// Holds back, while it lives, the signals that would end the process: for steps that belong together.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
};

/// Runs a program and waits for its end. `words` are its name, which is looked up as the shell does, and its arguments.
/// The program has our standard streams, and our environment with `variables` set. Signals that would end this process
/// are passed on to it meanwhile. Throws InputError if it cannot be started, SimulationError if it fails.
void run_program(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables);

/// Opens a library of ours where the system looks for libraries of this program (or module of Python), but never in a
/// relative folder: an empty entry of LD_LIBRARY_PATH is the current one, with whatever lies there. Throws InputError,
/// which begins with `what`.
void* open_library(const std::string& name, int flags, const std::string& what);

/// The path of a library that dlopen() returned; empty if the system does not say.
std::string path_of_library(void* library);

}  // namespace toroid::core
