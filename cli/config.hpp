#pragma once
// A run once more: its result records the arguments that it was given, and `--config RESULT` gives them again.

#include <CLI/CLI.hpp>
#include <functional>

#include "core/json.hpp"

namespace toroid::cli {

/// Adds `--config` and `--dump-config` to a command, and what it does: `run` takes the record of the arguments that its
/// result is to hold, {"PLATFORM": "mesh:8x8", "--at": ["1ms:kill a", "2ms:kill b"]}. The record has what the user
/// gave, but for options that are not configurable: outputs, and how many processes do the work.
void set_action(CLI::App& command, const std::function<void(const core::Json& arguments)>& run);

/// Has the parser take what the command line does not say from the result that its --config names, if it names one.
void prepare_config(CLI::App& app, int argc, const char* const* argv);

}  // namespace toroid::cli
