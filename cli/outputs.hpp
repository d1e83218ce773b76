#pragma once
// The files that a command writes when its work is done, and the inputs that its manifest records.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/output.hpp"

namespace toroid::cli {

/// An option for the path of an output; a path that is given must not be empty.
CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& path, const std::string& help);

/// What a command writes when it is done: all of it, or nothing.
class Outputs {
 public:
  using Text = std::function<std::string()>;
  using Write = std::function<void(core::OutputFile&)>;

  /// Nothing if `path` is empty; "-" is standard output. Throws InputError at once when the file cannot be written, or
  /// is another output's or an input's, so that a wrong path does not cost the work.
  void add(const std::string& path, const Text& text);
  /// The same for what is written part by part.
  void add_parts(const std::string& path, Write write);
  /// A file that is written as the work goes on.
  core::OutputFile& stream(const std::string& path);
  /// See core::OutputSet.
  void claim(const std::string& path) { set_.claim(path); }
  /// The same for a picture, which only an SVG file can be.
  void add_svg(const std::string& path, const Text& text, std::string_view option = "--svg");
  /// Whether any of them is standard output; also when all is written.
  bool to_stdout() const { return to_stdout_; }
  /// Whether an output is a file, or will be: neither empty, standard output, a pipe nor a device.
  static bool is_file(const std::string& path);
  /// To be called once.
  void write();

 private:
  struct Output {
    core::OutputFile& file;
    Write write;
  };
  core::OutputSet set_;
  std::vector<Output> outputs_;
  bool to_stdout_ = false;
};

/// All files that the command has read: `[{"file": ..., "sha256": ...}, ...]`.
core::Json inputs_json();

/// Prints a text whose names may come from files: what controls terminals is shown as an escape.
void print(std::string_view text);

/// The lines of a summary on messages, hops and link loads, from the fields of a result that are named so.
std::string traffic_lines(const core::Json& result);

}  // namespace toroid::cli
