#include "cli/plugins.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "core/blame.hpp"
#include "toroid/plugin.hpp"

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
  // The functions that TOROID_PLUGIN declares.
  const auto version = reinterpret_cast<int (*)()>(::dlsym(library, "toroid_plugin_interface"));
  const auto abi = reinterpret_cast<const char* (*)()>(::dlsym(library, "toroid_plugin_abi"));
  const auto add = reinterpret_cast<void (*)(const Plugin&)>(::dlsym(library, "toroid_plugin"));
  if (add == nullptr) core::fail_input("found no TOROID_PLUGIN in it");
  if (version == nullptr || abi == nullptr)
    core::fail_input("was compiled for another toroid: found no version of the plug-in interface, expected {}",
                     plugin_interface);
  if (version() != plugin_interface)
    core::fail_input("was compiled for another toroid: found version {} of the plug-in interface, expected {}",
                     version(), plugin_interface);
  if (std::string_view(abi()) != plugin_abi)
    core::fail_input("was compiled by another compiler: found {}, expected {}", abi(), plugin_abi);
  core::blamed("its code", [&] { add(Plugin(path)); });
}

}  // namespace toroid::cli
