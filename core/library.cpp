#include "core/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/error.hpp"

namespace toroid::core {
namespace {

/// The folders where the system looks for libraries of the program or library that this function is in, but for those
/// of ldconfig.
std::vector<std::filesystem::path> library_folders() {
  Dl_info ours{};
  void* map = nullptr;  // which is what dlopen() returns
  Dl_serinfo size{};
  if (::dladdr1(reinterpret_cast<void*>(&library_folders), &ours, &map, RTLD_DL_LINKMAP) == 0 ||
      ::dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0)
    return {};
  std::vector<std::max_align_t> room(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* found = reinterpret_cast<Dl_serinfo*>(room.data());
  *found = size;
  if (::dlinfo(map, RTLD_DI_SERINFO, found) != 0) return {};
  std::vector<std::filesystem::path> folders;
  for (unsigned i = 0; i < found->dls_cnt; ++i) folders.emplace_back(found->dls_serpath[i].dls_name);
  return folders;
}

}  // namespace

void* open_library(const std::string& name, int flags, const std::string& what) {
  std::string path = name;
  std::error_code ignored;
  for (const auto& folder : library_folders()) {
    if (folder.is_relative()) path = "/" + name;  // by its name alone it would be looked for there
    if (folder.is_relative() || !std::filesystem::exists(folder / name, ignored)) continue;
    path = folder / name;
    break;
  }
  void* library = ::dlopen(path.c_str(), flags);
  if (library == nullptr) fail_input("{}{} cannot be loaded: {}", what, name, ::dlerror());
  return library;
}

std::string path_of_library(void* library) {
  const link_map* map = nullptr;
  return ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? std::filesystem::absolute(map->l_name).string() : "";
}

}  // namespace toroid::core
