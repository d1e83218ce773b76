#pragma once
// Shared libraries that are opened while the program runs.

#include <string>

namespace toroid::core {

/// The path of a library that dlopen() returned; empty if the system does not say.
std::string path_of_library(void* library);

}  // namespace toroid::core
