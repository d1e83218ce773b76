#pragma once
// Work in processes of its own: for libraries that allow one instance per process, and so that their crashes are
// errors.

#include <functional>

#include "core/process.hpp"
#include "core/progress.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {

/// Thrown when a worker cannot be started because the system has no process, file descriptor or memory for it.
class CannotStart : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// What a program does around each fork that starts a worker, where it has state of its own that a fork must not find
/// in use, such as the lock of an interpreter.
struct ForkHooks {
  void (*before)() = [] {};
  void (*after_in_parent)() = [] {};
  void (*after_in_child)() = [] {};
};
/// Sets the hooks, once, before the first worker is started.
void set_fork_hooks(const ForkHooks& hooks);

/// One piece of work in a child process, started by the constructor; the child dies with its parent.
class IsolatedWork {
 public:
  /// Starts `work` in a child process. What `work` returns comes back as the result; it may count its progress in the
  /// number that it is given. Throws CannotStart when the system cannot start one more.
  explicit IsolatedWork(const std::function<std::string(std::uint64_t& progress)>& work);
  ~IsolatedWork();  ///< ends the child if it still runs
  IsolatedWork(const IsolatedWork&) = delete;
  IsolatedWork& operator=(const IsolatedWork&) = delete;

  /// A file descriptor that becomes readable when there is something to receive.
  int descriptor() const { return pipe_; }
  /// Takes what the child has sent. Returns true once that is complete.
  bool receive();
  std::uint64_t progress() const { return *progress_; }

  /// The result, once receive() has returned true. An InputError or SimulationError thrown in the child is thrown here;
  /// a crash is a SimulationError with the first line that the child printed. What the child prints goes nowhere else.
  std::string result();

 private:
  void release();
  std::string first_line() const;

  std::uint64_t* progress_ = nullptr;  ///< shared with the child
  pid_t child_ = -1;
  std::optional<Ephemeral> ephemeral_;
  int pipe_ = -1, printed_ = -1;  ///< what the child sends; the file of what it prints
  std::string message_;
};

/// Runs `work` in a child process and returns its result. The bar, if any, shows its progress. Throws Interrupted, with
/// the child ended, if an interrupt ends runs.
std::string run_isolated(const std::function<std::string(std::uint64_t& progress)>& work, Progress* bar = nullptr);

}  // namespace toroid::core
