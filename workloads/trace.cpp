#include "workloads/trace.hpp"

#include <filesystem>

#include "core/error.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/ti.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {

namespace fs = std::filesystem;

namespace {

/// The one file in a folder that is called like a trace.
std::string trace_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(".ti") || name.ends_with(".ti.zst")) found.push_back(entry.path().string());
  }
  if (found.size() != 1)
    core::fail_input("{}: is a directory with {} files *.ti or *.ti.zst; expected a trace, or a directory with one",
                     folder, found.size());
  return found[0];
}

}  // namespace

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> formats{
      // Last, since it takes any text: its reader says best what is wrong with a file that nobody knows.
      {"ti", "SimGrid's time-independent traces: one file, or a list of per-rank files; plain or zstd",
       [](const std::string&) { return true; },
       [](const std::string& path) -> std::unique_ptr<Trace> { return read_ti(path); }}};
  return formats;
}

std::unique_ptr<Trace> open_trace(const std::string& text) {
  // Names come first: a file that is called like a generator is ./cg.
  if (generators().has(text.substr(0, text.find(':')))) {
    const auto spec = core::Spec::parse(text);
    return generators().find(spec).make(spec);
  }
  std::error_code ignored;
  if (!fs::exists(text, ignored))
    core::fail_input("{}: no such file and no such generator; expected a trace file or one of: {}", text,
                     generators().names());
  const auto file = fs::is_directory(text, ignored) ? trace_in(text) : text;
  if (const auto* format = matrix_format_of(file))
    core::fail_input("{}: is a communication matrix ({}); expected a trace", file, format->name);
  for (const auto& format : trace_formats())
    if (format.recognizes(file)) return format.read(file);
  core::fail_input("{}: no trace format that is known", text);
}

}  // namespace toroid::workloads
