#pragma once
// Ctrl-C that ends a search or a run, not the program: a search that is asked to end gives the best that it has, a run
// is given up.

#include <csignal>
#include <stdexcept>

namespace toroid::core {

/// A run was given up, as an interrupt asked for that.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// While it lives, the first interrupt (SIGINT) does not end the process but asks its searches to end; the next one
/// ends the process as always. At most one lives at a time, and only the work of its thread ends. Where interrupts are
/// ignored, they stay so.
class Interruptible {
 public:
  /// What ends: searches, which say so on the terminal; or runs as well, after which the handler that was there before
  /// is called, too, as a program has one that embeds toroid. Where it has none, the process ends as always.
  enum class Ends { searches, runs };
  explicit Interruptible(Ends ends = Ends::searches);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction before_ = {};
};

/// Whether searches should end. Costs a look at a variable, so that the innermost loop of a long search can ask.
/// Without an Interruptible it is false: then results depend on no signal.
bool is_interrupted();

/// Throws Interrupted if runs should end. As cheap as is_interrupted().
void end_if_interrupted();

}  // namespace toroid::core
