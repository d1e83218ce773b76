#pragma once
// Shared libraries that are opened while the program runs.

#include <string>

namespace toroid::core {

/// Where the library lies that dlopen gave, wherever it was found from; empty if the system does not say.
std::string path_of_library(void* library);

}  // namespace toroid::core
