#pragma once
// The result that `--config RESULT` names, before the parser reads the command line.

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace toroid::cli {

inline constexpr const char* config_option = "--config";
/// The name of the plug-ins in a record of arguments.
inline constexpr const char* plugins_in_record = "--plugin";

/// What follows --config in the words of a command line, on its own or behind `=`; nothing if it is not there.
std::optional<std::string> config_of(std::span<const std::string> words);

/// The plug-ins of the result that --config names, if it names one that has any.
std::vector<std::string> plugins_of_config(const std::vector<std::string>& words);

}  // namespace toroid::cli
