#include "cli/plugins.hpp"

#include <dlfcn.h>
#include <unistd.h>
#include <cerrno>
#include <filesystem>

#include "core/blame.hpp"
#include "core/file.hpp"
#include "core/inputs.hpp"
#include "core/process.hpp"
#include "toroid/plugin.hpp"

namespace toroid::cli {
namespace {

namespace fs = std::filesystem;

/// Lets libraries that are loaded from now on use what is in this one, where the command is not the program but in the
/// module of Python: programs are seen by their libraries anyway.
void show_ourselves() {
  Dl_info ours{};
  if (::dladdr(reinterpret_cast<void*>(&load_plugin_library), &ours) != 0)
    ::dlopen(ours.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

constexpr std::string_view option_name = "--plugin";

std::vector<std::string> loaded;
std::string at_work;

/// Takes `--plugin FILE` and `--plugin=FILE` out of the words.
std::vector<std::string> take_files(std::vector<std::string>& words) {
  std::vector<std::string> files, rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--" || (word == "capture" && rest.size() == 1)) {  // what follows is somebody else's
      rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (word == option_name) {
      if (i + 1 == words.size()) core::fail_input("{}: found nothing after it, expected a file", option_name);
      files.push_back(words[++i]);
    } else if (word.starts_with(option_name) && word.size() > option_name.size() && word[option_name.size()] == '=') {
      files.push_back(word.substr(option_name.size() + 1));
    } else {
      rest.push_back(word);
    }
  }
  words = std::move(rest);
  return files;
}

bool is_python(const std::string& path) {
  return fs::path(path).extension() == ".py";
}

/// The folder of the package `toroid` that belongs to this program: beside the program where both were built, below the
/// prefix where both were installed, and above the program where pip put the program into the package. Empty if there
/// is none.
fs::path python_folder() {
  std::error_code ignored;
  const auto programs = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const auto above = programs.parent_path();
  for (const auto& folder : {programs / "python", above / "lib/python3/dist-packages"})
    if (fs::exists(folder / "toroid/__main__.py", ignored)) return folder;
  return above.filename() == "toroid" && fs::exists(above / "__main__.py", ignored) ? above.parent_path() : fs::path();
}

/// Begins this command line once more as a program of Python, which knows how to run such files.
[[noreturn]] void go_on_in_python(const std::string& path, const std::vector<std::string>& words) {
  const auto folder = python_folder();
  if (folder.empty())
    core::fail_input("found a file of Python, expected a shared library: this toroid was built without Python");
  ::setenv("PYTHONHASHSEED", "0", 1);  // sets would be in another order in each run
  std::vector<std::string> all{TOROID_PYTHON, folder / "toroid/__main__.py"};
  all.insert(all.end(), words.begin() + 1, words.end());
  std::vector<char*> arguments;
  for (auto& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  core::fail_input("{} cannot run {}: {}", TOROID_PYTHON, path, std::strerror(errno));
}

bool has_added(const std::string& file) {
  const auto is_in = [&](const auto& registry) {
    const auto& all = registry.entries();
    return std::ranges::any_of(all, [&](const auto& entry) { return entry.from == file; });
  };
  return is_in(alloc::allocators()) || is_in(cosim::schedulers()) || is_in(mapping::mappers()) ||
         is_in(workloads::generators());
}

}  // namespace

void load_plugin_library(const std::string& path) {
  show_ourselves();
  // A name without a slash is looked for among the system's libraries.
  void* library = ::dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
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

std::vector<std::string> load_plugins(std::vector<std::string> words, const RunPython& run_python) {
  const auto given = words;
  const auto files = take_files(words);
  bool is_output_kept = false;
  for (const auto& file : files)
    core::in_context(std::string(option_name) + " " + core::excerpt(file), [&] {
      if (!core::is_file(file)) core::fail_input("{}", core::why_no_file(file));
      if (is_python(file) && !run_python) go_on_in_python(file, given);
      core::Inputs::enter(file);
      if (!std::exchange(is_output_kept, true)) core::keep_standard_output();
      TOROID_ASSERT(at_work.empty());
      at_work = file;
      is_python(file) ? run_python(file) : load_plugin_library(file);
      at_work.clear();
      if (!has_added(file))
        core::fail_input("adds no algorithm, expected one, as by {}",
                         is_python(file) ? "toroid.register_allocator(name, find)" : "plugin.add_allocator(entry)");
      loaded.push_back(file);
    });
  return words;
}

const std::string& plugin_at_work() {
  return at_work;
}

const std::vector<std::string>& plugins() {
  return loaded;
}

}  // namespace toroid::cli
