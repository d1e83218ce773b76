#pragma once
// A plug-in that is a shared library.

#include <string>

namespace toroid::cli {

/// Loads it, for as long as the process lives, and lets it add its names. Throws InputError if it is none for this
/// program.
void load_plugin_library(const std::string& path);

}  // namespace toroid::cli
