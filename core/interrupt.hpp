#pragma once
// Ctrl-C that ends a search, not the program: a search that is asked to end gives the best that it has.

#include <csignal>

namespace toroid::core {

/// While it lives, the first interrupt (SIGINT) does not end the process but asks its searches to end; the next one
/// ends the process as always. At most one lives at a time. Where interrupts are ignored, they stay so.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction before_ = {};
};

/// Whether searches should end. Costs a look at a variable, so that the innermost loop of a long search can ask.
/// Without an Interruptible it is false: then results depend on no signal.
bool is_interrupted();

}  // namespace toroid::core
