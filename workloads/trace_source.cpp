#include "toroid/workloads/trace_source.hpp"

#include <filesystem>

#include "workloads/formats/chakra/node.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {

namespace fs = std::filesystem;

namespace {

/// The one file in a folder that is called like a trace, or that of rank 0 of an execution trace.
std::string trace_in(const std::string& folder) {
  if (auto chakra = chakra_file_in(folder); !chakra.empty()) return chakra;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(".ti") || name.ends_with(".ti.gz") || name.ends_with(".ti.zst"))
      found.push_back(entry.path().string());
  }
  if (found.size() != 1)
    core::fail_input(
        "{}: is a directory with {} files *.ti, *.ti.gz or *.ti.zst, and no PREFIX.0.et; expected a trace, or a "
        "directory "
        "with one",
        folder, found.size());
  return found[0];
}

std::string_view name_of(std::string_view text) {
  return core::trim(text.substr(0, text.find(':')));
}

/// Names come first: a file that is called like a generator is ./cg.
bool is_generator(std::string_view text) {
  return generators().has(name_of(text));
}

}  // namespace

void TraceSource::check() const {
  if (is_generator(text_)) {
    generators().find(text_);
    return;
  }
  std::error_code ignored;
  if (!fs::exists(text_, ignored))
    core::fail_input("{}: no such file and no such generator{}, or a trace file", core::excerpt(text_),
                     core::valid_instead(name_of(text_), generators().names()));
}

std::unique_ptr<Trace> TraceSource::open() const {
  if (open_) return open_();
  if (is_generator(text_)) return generators().make(text_);
  std::error_code ignored;
  const auto file = fs::is_directory(text_, ignored) ? trace_in(text_) : text_;
  if (const auto* format = matrix_format_of(file))
    core::fail_input("{}: is a communication matrix ({}); expected a trace", file, format->name);
  for (const auto& format : trace_formats().entries())
    if (format.make.recognizes(file)) return format.make.read(file);
  core::fail_input("{}: no trace format that is known", text_);
}

std::unique_ptr<Trace> open_trace(const TraceSource& source) {
  return source.open();
}

}  // namespace toroid::workloads
