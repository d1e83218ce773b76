#pragma once
// A run once more: its result records the arguments that it was given, and `--config RESULT` gives them again.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace toroid::cli {

/// Adds `--config` and `--dump-config` to a command, and what it does: `run` takes the record of the arguments that its
/// result is to hold, {"PLATFORM": "mesh:8x8", "--at": ["1ms:kill a", "2ms:kill b"]}. The record has what the user
/// gave, plug-ins included, but for options that are not configurable: outputs, and how many processes do the work.
void set_action(CLI::App& command, const std::function<void(const core::Json& arguments)>& run);

/// Has the parser of `command` read such a record in the place of a command line, and returns what it then records.
/// Names may be written as keys of JSON usually are: `platform` and `ranks_per_node` for PLATFORM and --ranks-per-node.
/// Throws InputError on what the command does not take.
core::Json parse_record(CLI::App& command, const core::Json& record);

/// Has the parser take what the command line does not say from the result that its --config names, if it names one.
/// The words are those of the command line, the program first.
void prepare_config(CLI::App& app, const std::vector<std::string>& words);

/// The plug-ins of the result that --config names, if it names one that has any.
std::vector<std::string> plugins_of_config(const std::vector<std::string>& words);

}  // namespace toroid::cli
