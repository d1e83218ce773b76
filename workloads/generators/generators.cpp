#include "workloads/trace.hpp"

// The generators, a line each: the function that returns the entry.
// clang-format off
#define GENERATORS(line)  \
  line(stencil_generator) \
  line(cg_generator)      \
  line(broadcasts_generator) \
  line(npb_generator)
// clang-format on

namespace toroid::workloads {

#define DECLARE(entry) core::Entry<MakeTrace> entry();
GENERATORS(DECLARE)

const core::Registry<MakeTrace>& generators() {
#define CALL(entry) entry(),
  static const core::Registry<MakeTrace> registry("generator", {GENERATORS(CALL)});
  return registry;
}

}  // namespace toroid::workloads
