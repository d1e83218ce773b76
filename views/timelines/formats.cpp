#include "views/timelines/formats.hpp"

#include "core/entries.hpp"

namespace toroid::views {

// The formats, each by the function that returns its entry.
TOROID_ENTRIES(core::Entry<RunFormat>, run_format_entries, perfetto_format, otf2_format)

const core::Registry<RunFormat>& run_formats() {
  static const core::Registry<RunFormat> registry("format of runs", run_format_entries());
  return registry;
}

}  // namespace toroid::views
