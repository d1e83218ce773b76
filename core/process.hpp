#pragma once
// This process among others: standard streams that are open, and signals that end it without leaving anything behind.

#include <sys/types.h>

#include <string>

namespace toroid::core {

/// For `main`, before anything else. Standard streams that are closed become /dev/null: no file that is opened takes
/// their place. Signals that end the process first do away with what is Ephemeral, and so does want of memory, which
/// ends it at once, with exit code 1; a file beyond its limit of size is a write error, no signal.
void prepare_process();

/// Whether there was a standard output when the process was prepared.
bool has_standard_output();

/// A file, a folder without other files, or a process that goes when a signal ends this process: one for each file
/// under construction, and for each worker.
class Ephemeral {
 public:
  explicit Ephemeral(const std::string& file);
  explicit Ephemeral(pid_t process);
  ~Ephemeral();  ///< it may outlive this process now
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
