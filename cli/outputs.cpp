#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::cli {

CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& path, const std::string& help) {
  const auto not_empty = [](const std::string& given) {
    return given.empty() ? std::string("found nothing, expected a file") : std::string();
  };
  auto* option = command.add_option(name, path, help)->check(not_empty)->type_name("FILE");
  return option->configurable(false);  // no part of what a run is
}

void Outputs::add(const std::string& path, const Text& text) {
  add_parts(path, [text](core::OutputFile& file) { file.write(text()); });
}

void Outputs::add_parts(const std::string& path, Write write) {
  if (path.empty()) return;
  auto& file = set_.add(path);
  to_stdout_ = to_stdout_ || file.is_standard_output();
  outputs_.push_back({file, std::move(write)});
}

void Outputs::add_folder(const std::string& path, Fill fill) {
  if (!path.empty()) folders_.push_back({set_.add_folder(path), std::move(fill)});
}

core::OutputFile& Outputs::stream(const std::string& path) {
  add(path, [] { return std::string(); });
  return outputs_.back().file;
}

void Outputs::add_svg(const std::string& path, const Text& text, std::string_view option) {
  const auto extension = std::filesystem::path(path).extension().string();
  if (!extension.empty() && extension != ".svg")
    core::fail_input("{} {}: found a name in {}, expected one in .svg: pictures are SVG", option, path, extension);
  add(path, text);
}

bool Outputs::is_file(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  const bool may_be = type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::regular;
  return !path.empty() && path != "-" && may_be;
}

void Outputs::write() {
  // Files and folders first: what has gone through a pipe cannot be taken back when a disk is full.
  for (const auto& [folder, fill] : folders_) {
    folder.create();
    fill(folder);
    folder.finish();
  }
  folders_.clear();
  for (const bool files : {true, false})
    for (const auto& output : outputs_) {
      if (output.file.is_file() != files) continue;
      output.write(output.file);
      output.file.finish();
    }
  outputs_.clear();
  set_.commit();
}

core::Json inputs_json(const core::Inputs& inputs) {
  auto files = core::Json::array();
  for (const auto& file : inputs.files()) files.push_back({{"file", file.path}, {"sha256", file.sha256}});
  return files;
}

void print(std::string_view text) {
  fmt::print("{}", core::printable(text));
}

}  // namespace toroid::cli
