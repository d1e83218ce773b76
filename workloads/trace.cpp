#include "workloads/trace.hpp"

#include <filesystem>

#include "core/error.hpp"
#include "core/text.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {

std::unique_ptr<Trace> open_trace(const std::string& text) {
  // Names come first: a file that is called like a generator is ./cg.
  const auto name = core::trim(std::string_view(text).substr(0, text.find(':')));
  if (generators().has(name)) return generators().make(text);
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored))
    core::fail_input("{}: no such file and no such generator{}, or a trace file", core::excerpt(text),
                     core::valid_instead(name, generators().names()));
  if (const auto* format = matrix_format_of(text))
    core::fail_input("{}: is a communication matrix ({}); expected a trace", text, format->name);
  for (const auto& format : trace_formats().entries())
    if (format.make.recognizes(text)) return format.make.read(text);
  core::fail_input("{}: no trace format that is known", text);
}

}  // namespace toroid::workloads
