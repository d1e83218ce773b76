#pragma once
// The files that a command writes when its work is done, and the inputs that its manifest records.

#include <functional>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace toroid::cli {

class Outputs {
 public:
  using Text = std::function<std::string()>;

  /// Nothing if `path` is empty; "-" is standard output. Throws InputError at once when the file cannot be written, so
  /// that a wrong path does not cost the work, or when two outputs have the same path.
  void add(const std::string& path, Text text);
  /// The same for a picture, which only an SVG file can be.
  void add_svg(const std::string& path, Text text);
  bool to_stdout() const;
  void write() const;

 private:
  struct Output {
    std::string path;
    Text text;
  };
  std::vector<Output> outputs_;
};

/// `[{"file": ..., "sha256": ...}, ...]`.
core::Json inputs_json(const std::vector<std::string>& files);

/// The lines of a summary on messages, hops and link loads, from the fields of a result that are named so.
std::string traffic_lines(const core::Json& result);

}  // namespace toroid::cli
