#pragma once
// PLATFORM, TRACE and JOBS arguments that were given in each other's place.

#include <string>
#include <string_view>

namespace toroid::cli {

/// Throws InputError when `text`, which was given as `argument` (PLATFORM, TRACE or JOBS), names something that only
/// another argument takes: the message says what, and which argument.
void refuse_swapped(std::string_view argument, const std::string& text);

}  // namespace toroid::cli
