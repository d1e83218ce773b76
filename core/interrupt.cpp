#include "core/interrupt.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "core/standard_error.hpp"

namespace toroid::core {
namespace {

volatile std::sig_atomic_t interrupted = 0;
// For the handler, which may not touch an object.
struct sigaction action_before;
bool has_terminal = false;
bool runs_end = false;
thread_local bool is_here = false;  // whether it is this thread's work that should end

void ask_for_end(int) {
  interrupted = 1;
  ::sigaction(SIGINT, &action_before, nullptr);
  if (runs_end && action_before.sa_handler != SIG_DFL) return action_before.sa_handler(SIGINT);
  if (!has_terminal) return;
  const int error = errno;
  constexpr std::string_view line =
      "\ntoroid: the search ends with the best that it has; interrupt again to end at once\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) errno = error;  // nobody reads it
}

}  // namespace

Interruptible::Interruptible(Ends ends) {
  interrupted = 0;
  runs_end = ends == Ends::runs;
  ::sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN || (runs_end && before_.sa_handler == SIG_DFL)) return;
  is_here = true;
  action_before = before_;
  has_terminal = !runs_end && is_watched();
  struct sigaction action = {};
  action.sa_handler = ask_for_end;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

Interruptible::~Interruptible() {
  is_here = false;
  ::sigaction(SIGINT, &before_, nullptr);
  interrupted = 0;
}

bool is_interrupted() {
  return interrupted != 0 && is_here;
}

void end_if_interrupted() {
  if (runs_end && is_interrupted()) throw Interrupted();
}

}  // namespace toroid::core
