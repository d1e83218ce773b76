#include "workloads/trace.hpp"

#include <filesystem>

#include "core/error.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/ti.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {

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
  if (!std::filesystem::exists(text, ignored))
    core::fail_input("{}: no such file and no such generator; expected a trace file or one of: {}", text,
                     generators().names());
  if (const auto* format = matrix_format_of(text))
    core::fail_input("{}: is a communication matrix ({}); expected a trace", text, format->name);
  for (const auto& format : trace_formats())
    if (format.recognizes(text)) return format.read(text);
  core::fail_input("{}: no trace format that is known", text);
}

}  // namespace toroid::workloads
