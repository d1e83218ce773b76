#pragma once
// What there is to say of OTF2 whether or not there is a library of that format.

#include <string_view>

#include "views/run_formats.hpp"

namespace toroid::views {

inline constexpr std::string_view otf2_help =
    "an OTF2 archive, for Vampir and otf2-print, in this new folder: calls and waits of ranks, messages; a file for "
    "each rank (needs a toroid built with the OTF2 library)";

core::Entry<RunFormat> otf2_format();

}  // namespace toroid::views
