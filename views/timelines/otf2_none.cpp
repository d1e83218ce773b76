// Built in the place of otf2.cpp where there is no OTF2 library.
#include "views/timelines/formats.hpp"

namespace toroid::views {

core::Entry<RunFormat> otf2_format() {
  return {"otf2", otf2_help, {.is_folder = true, .missing = "the OTF2 library (3.0)"}};
}

}  // namespace toroid::views
