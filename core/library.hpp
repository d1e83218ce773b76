#pragma once
// Shared libraries that are opened while the program runs.

#include <string>

namespace toroid::core {

/// Opens a library of ours where the system looks for libraries of this program (or module of Python), but never in a
/// relative folder: an empty entry of LD_LIBRARY_PATH is the current one, with whatever lies there. Throws InputError,
/// which begins with `what`.
void* open_library(const std::string& name, int flags, const std::string& what);

/// The path of a library that dlopen() returned; empty if the system does not say.
std::string path_of_library(void* library);

}  // namespace toroid::core
