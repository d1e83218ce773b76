#pragma once
// Algorithms that come from elsewhere: `--plugin FILE`, wherever it stands on the command line.

#include <functional>
#include <string>
#include <vector>

namespace toroid::cli {

/// Runs a file of Python that registers algorithms.
using RunPython = std::function<void(const std::string& path)>;

/// Takes `--plugin FILE` out of the words of a command line, up to a `--`, and loads the
/// files, each of which is an input from then on: shared libraries with a TOROID_PLUGIN, and files of Python (.py) by
/// `run_python`. Where there is no such function, this process goes on as Python's, with the same words, and does not
/// return. Throws InputError where a file is no plug-in for this program.
std::vector<std::string> load_plugins(std::vector<std::string> words, const RunPython& run_python);

/// The file that is being loaded; empty if none is.
const std::string& plugin_at_work();

/// The files that are loaded, in their order.
const std::vector<std::string>& plugins();

/// Loads it, for as long as the process lives, and lets it add its names. Throws InputError if it is none for this
/// program.
void load_plugin_library(const std::string& path);

}  // namespace toroid::cli
