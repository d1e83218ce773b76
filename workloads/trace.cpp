#include "workloads/trace.hpp"

#include <filesystem>

#include "core/error.hpp"
#include "core/text.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {

namespace fs = std::filesystem;

namespace {

/// The one file in a folder that is called like a trace.
std::string trace_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(".ti") || name.ends_with(".ti.gz") || name.ends_with(".ti.zst"))
      found.push_back(entry.path().string());
  }
  if (found.size() != 1)
    core::fail_input(
        "{}: is a directory with {} files *.ti, *.ti.gz or *.ti.zst; expected a trace, or a directory with one", folder,
        found.size());
  return found[0];
}

}  // namespace

std::unique_ptr<Trace> open_trace(const std::string& text) {
  // Names come first: a file that is called like a generator is ./cg.
  const auto name = core::trim(std::string_view(text).substr(0, text.find(':')));
  if (generators().has(name)) return generators().make(text);
  std::error_code ignored;
  if (!fs::exists(text, ignored))
    core::fail_input("{}: no such file and no such generator{}, or a trace file", core::excerpt(text),
                     core::valid_instead(name, generators().names()));
  const auto file = fs::is_directory(text, ignored) ? trace_in(text) : text;
  if (const auto* format = matrix_format_of(file))
    core::fail_input("{}: is a communication matrix ({}); expected a trace", file, format->name);
  for (const auto& format : trace_formats().entries())
    if (format.make.recognizes(file)) return format.make.read(file);
  core::fail_input("{}: no trace format that is known", text);
}

}  // namespace toroid::workloads
