#include "cli/outputs.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/file.hpp"

namespace toroid::cli {

void Outputs::add(const std::string& path, Text text) {
  if (path.empty()) return;
  for (const auto& other : outputs_)
    if (other.path == path) core::fail_input("'{}' is given for two outputs", path);
  if (path != "-") core::FileWriter{path};  // fails if it cannot be written, and leaves nothing
  outputs_.push_back({path, std::move(text)});
}

bool Outputs::to_stdout() const {
  return std::any_of(outputs_.begin(), outputs_.end(), [](const Output& output) { return output.path == "-"; });
}

void Outputs::write() const {
  for (const auto& output : outputs_) core::write_text(output.path, output.text());
}

core::Json inputs_json(const std::vector<std::string>& files) {
  auto inputs = core::Json::array();
  for (const auto& file : files)
    if (!file.empty()) inputs.push_back({{"file", file}, {"sha256", core::sha256_of_file(file)}});
  return inputs;
}

}  // namespace toroid::cli
