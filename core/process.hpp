#pragma once
// This process among others: standard streams that are open, and signals that end it without leaving anything behind.

#include <sys/types.h>

#include <cstdint>
#include <string>

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
  ~Ephemeral();  ///< from now on it may outlive this process
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

}  // namespace toroid::core
