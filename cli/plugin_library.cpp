#include "cli/plugins.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <toroid/core/blame.hpp>
#include <toroid/plugin.hpp>  // as plug-ins have it: with the hash of all headers

namespace toroid::cli {
namespace {

/// Lets libraries that are loaded from now on use what is in this one, where the command is not the program but in the
/// module of Python: programs are seen by their libraries anyway.
void show_ourselves() {
  Dl_info ours{};
  if (::dladdr(reinterpret_cast<void*>(&load_plugin_library), &ours) != 0)
    ::dlopen(ours.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

}  // namespace

void load_plugin_library(const std::string& path) {
  show_ourselves();
  // A name without a slash is looked for among the system's libraries.
  void* library = ::dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) core::fail_input("cannot be loaded: {}", ::dlerror());
  // As TOROID_PLUGIN declares them.
  const auto stamp = reinterpret_cast<const char* (*)()>(::dlsym(library, "toroid_plugin_stamp"));
  const auto add = reinterpret_cast<void (*)(const Plugin&)>(::dlsym(library, "toroid_plugin"));
  if (stamp == nullptr || add == nullptr) core::fail_input("found no TOROID_PLUGIN in it");
  if (std::string_view(stamp()) != plugin_stamp)
    core::fail_input("was compiled for another toroid: found {}, expected {}", stamp(), plugin_stamp);
  core::blamed("its code", [&] { add(Plugin(path)); });
}

}  // namespace toroid::cli
