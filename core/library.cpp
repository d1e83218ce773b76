#include "core/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace toroid::core {

std::string path_of_library(void* library) {
  const link_map* map = nullptr;
  return ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? std::filesystem::absolute(map->l_name).string() : "";
}

}  // namespace toroid::core
