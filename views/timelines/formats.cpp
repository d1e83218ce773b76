#include "views/timelines/formats.hpp"

// The formats, a line each: the function that returns the entry.
// clang-format off
#define RUN_FORMATS(line) \
  line(perfetto_format)   \
  line(paje_format)       \
  line(otf2_format)
// clang-format on

namespace toroid::views {

#define DECLARE(entry) core::Entry<RunFormat> entry();
RUN_FORMATS(DECLARE)

const core::Registry<RunFormat>& run_formats() {
#define CALL(entry) entry(),
  static const core::Registry<RunFormat> registry("format of runs", {RUN_FORMATS(CALL)});
  return registry;
}

}  // namespace toroid::views
