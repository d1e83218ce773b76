#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

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

std::string_view order_in_words(platforms::Order order) {
  switch (order) {
    case platforms::Order::pair:
      return "messages between the same two nodes one after another";
    case platforms::Order::node:
      return "all messages of a node one after another";
    default:
      return "all messages at once";
  }
}

std::string remark_lines(const core::Json& result) {
  std::string text;
  for (const auto& remark : result.value("remarks", core::Json::array()))
    text += fmt::format("note           {}\n", remark.get<std::string>());
  return text;
}

namespace {

/// `allgather by rings of 4x4, allreduce by recursive_doubling`; empty where there were none.
std::string collectives_line(const core::Json& uses) {
  std::vector<std::string> parts;
  for (const auto& use : uses) {
    const auto grid = use["grid"].is_null() ? std::string() : " of " + use["grid"].get<std::string>();
    parts.push_back(
        fmt::format("{} by {}{}", use["collective"].get<std::string>(), use["algorithm"].get<std::string>(), grid));
  }
  return parts.empty() ? std::string() : fmt::format("collectives    {}\n", core::join(parts));
}

}  // namespace

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string traffic_lines(const core::Json& r) {
  std::string text;
  for (const auto& note : r.value("notes", core::Json::array()))
    text += fmt::format("mapper         {}\n", note.get<std::string>());
  text += collectives_line(r.value("collectives", core::Json::array()));
  text += fmt::format("messages       {} ({}), {} between nodes\n", r["messages"].get<std::uint64_t>(),
                      core::format_bytes(r["bytes"]), r["network_messages"].get<std::uint64_t>());
  text += fmt::format("hops           {:.3f} per message, {:.3f} per byte, at most {}; hop-bytes {}\n",
                      r["dilation_mean"].get<double>(), r["hops_per_byte"].get<double>(), r["dilation_max"].get<int>(),
                      core::format_bytes(r["hop_bytes"]));
  const auto& of_ports = r["max_port_load_bytes"];
  return text + fmt::format("link load      at most {}, mean {} over {} links{}; the busiest needs {} at full speed\n",
                            core::format_bytes(r["max_link_load_bytes"]), core::format_bytes(r["mean_link_load_bytes"]),
                            r["links_used"].get<int>(),
                            of_ports > 0 ? fmt::format(", of ports at most {}", core::format_bytes(of_ports)) : "",
                            core::format_duration(r["max_link_time_s"]));
}

}  // namespace toroid::cli
