#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/units.hpp"

namespace toroid::cli {

void Outputs::add(const std::string& path, Text text) {
  if (path.empty()) return;
  for (const auto& other : outputs_)
    if (other.path == path) core::fail_input("'{}' is given for two outputs", path);
  if (path != "-") core::FileWriter{path};  // fails if it cannot be written, and leaves nothing
  outputs_.push_back({path, std::move(text)});
}

void Outputs::add_svg(const std::string& path, Text text) {
  const auto extension = std::filesystem::path(path).extension().string();
  if (!extension.empty() && extension != ".svg")
    core::fail_input("--svg {}: found a name in {}, expected one in .svg: pictures are SVG", path, extension);
  add(path, std::move(text));
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

std::string traffic_lines(const core::Json& r) {
  auto text = fmt::format("messages       {} ({}), {} between nodes\n", r["messages"].get<std::uint64_t>(),
                          core::format_bytes(r["bytes"]), r["network_messages"].get<std::uint64_t>());
  text += fmt::format("hops           {:.3f} per message, {:.3f} per byte, at most {}; hop-bytes {}\n",
                      r["dilation_mean"].get<double>(), r["hops_per_byte"].get<double>(), r["dilation_max"].get<int>(),
                      core::format_bytes(r["hop_bytes"]));
  return text + fmt::format("link load      at most {}, mean {} over {} links\n",
                            core::format_bytes(r["max_link_load_bytes"]), core::format_bytes(r["mean_link_load_bytes"]),
                            r["links_used"].get<int>());
}

}  // namespace toroid::cli
