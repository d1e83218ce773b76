#include "workloads/formats/formats.hpp"

// The formats, a line each: the function that returns the entry.
// clang-format off
#define TRACE_FORMATS(line) \
  line(own_format)          \
  line(text_format)         \
  line(goal_format)         \
  line(dumpi_format)        \
  line(otf2_format)         \
  line(ti_format) /* last, since it takes any text: its reader says best what is wrong with a file nobody knows */
// clang-format on

namespace toroid::workloads {

#define DECLARE(entry) core::Entry<TraceFormat> entry();
TRACE_FORMATS(DECLARE)
#undef DECLARE

const core::Registry<TraceFormat>& trace_formats() {
#define CALL(entry) entry(),
  static const core::Registry<TraceFormat> registry("trace format", {TRACE_FORMATS(CALL)});
#undef CALL
  return registry;
}

}  // namespace toroid::workloads
