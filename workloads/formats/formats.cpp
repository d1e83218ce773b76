#include "workloads/formats/formats.hpp"

#include "core/entries.hpp"

namespace toroid::workloads {

// The formats, each by the function that returns its entry.
TOROID_ENTRIES(core::Entry<TraceFormat>, trace_format_entries, own_format, text_format, goal_format, chakra_format,
               dumpi_format, otf2_format,
               // last, since it takes any text: its reader says best what is wrong with a file nobody knows
               ti_format)

const core::Registry<TraceFormat>& trace_formats() {
  static const core::Registry<TraceFormat> registry("trace format", trace_format_entries());
  return registry;
}

}  // namespace toroid::workloads
