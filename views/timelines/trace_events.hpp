#pragma once
// Trace events as JSON, which ui.perfetto.dev and chrome://tracing open ("Trace Event Format", Google, 2016).

#include <cstdint>
#include <string>
#include <string_view>

#include "core/output.hpp"

namespace toroid::views {

/// Writes a trace event by event. Times are nanoseconds. Events may come in any order; where two of a track have the
/// same time, the one that was written first is the first one for viewers, too.
class TraceEvents {
 public:
  explicit TraceEvents(core::OutputFile& file);

  /// Names of tracks: processes are groups of them. They are shown in the order of their numbers.
  void name_process(int process, std::string_view name);
  void name_track(int process, std::size_t track, std::string_view name);
  /// `category` is a plain word; `arguments` is the text of a JSON object, or empty.
  void slice(int process, std::size_t track, std::int64_t begin, std::int64_t end, std::string_view name,
             std::string_view category, std::string_view arguments = {});
  /// The value of a counter of a process from that time on.
  void counter(int process, std::string_view name, std::int64_t time, std::string_view unit, double value);
  /// Ends the document. Nothing may be written after it.
  void finish();

 private:
  void write(const std::string& event);

  core::OutputFile& file_;
  bool any_ = false;
};

/// A text as JSON has it, in quotation marks.
std::string quoted(std::string_view text);

}  // namespace toroid::views
