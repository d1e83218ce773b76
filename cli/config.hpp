#pragma once
// What results record: the version of the program, where the values of machines are from, and the arguments of a run,
// which `--config RESULT` gives again.

#include "cli/option.hpp"

namespace toroid::cli {

inline constexpr const char* version = TOROID_VERSION;  ///< the version of the program

/// For each PLATFORM argument {"platform", "measured": {property: value}, "published", "estimate", "chosen",
/// "unstated", "default"}; what is an interval has that as its value. Throws InputError on what is no platform.
core::Json provenance_json(const std::vector<std::string>& platforms);

/// Adds `--config` and `--dump-config` to a command, and what it does: `run` takes the record of the arguments that its
/// result is to hold, {"PLATFORM": "mesh:8x8", "--at": ["1ms:kill a", "2ms:kill b"]}. The record has what the user
/// gave, plug-ins included, but for options that are not configurable: outputs, and how many processes do the work.
void set_action(CLI::App& command, const std::function<void(const core::Json& arguments)>& run);

/// Reads such records in the place of command lines.
class RecordParser {
 public:
  /// Makes the parser of records of the command of this name, which has these options.
  RecordParser(const std::string& name, const Options& options);

  /// Reads a record, and returns what the command then records. Names may be written as keys of JSON usually are:
  /// `platform` and `ranks_per_node` for PLATFORM and --ranks-per-node. Throws InputError on what the command does not
  /// take.
  core::Json parse(const core::Json& record);

 private:
  /// The values of a record by option, as `known_` has them.
  std::map<std::size_t, const core::Json*> values_of(const core::Json& record) const;

  std::shared_ptr<CLI::App> command_;
  std::vector<const CLI::Option*> known_;
  std::vector<std::string> keys_;  ///< the keys of the known options
};

/// Has the parser take what the command line does not say from the result that its --config names, if it names one.
void prepare_config(CLI::App& app, const std::vector<std::string>& words);

}  // namespace toroid::cli
