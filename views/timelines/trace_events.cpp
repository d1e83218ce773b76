#include "views/timelines/trace_events.hpp"

#include <fmt/format.h>

#include "core/json.hpp"

namespace toroid::views {
namespace {

/// Microseconds, as the format has them, to the nanosecond.
std::string microseconds(std::int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

}  // namespace

std::string quoted(std::string_view text) {
  return core::json_text(core::Json(std::string(text)));
}

TraceEvents::TraceEvents(core::OutputFile& file) : file_(file) {
  file_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

void TraceEvents::write(const std::string& event) {
  file_.write(any_ ? ",\n" : "\n");
  any_ = true;
  file_.write(event);
}

void TraceEvents::name_process(int process, std::string_view name) {
  write(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process, quoted(name)));
  write(fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})", process));
}

void TraceEvents::name_track(int process, std::size_t track, std::string_view name) {
  write(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", process, track,
                    quoted(name)));
  write(fmt::format(R"({{"ph":"M","pid":{0},"tid":{1},"name":"thread_sort_index","args":{{"sort_index":{1}}}}})",
                    process, track));
}

void TraceEvents::slice(int process, std::size_t track, std::int64_t begin, std::int64_t end, std::string_view name,
                        std::string_view category, std::string_view arguments) {
  write(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"{}"{}{}}})", process, track,
                    microseconds(begin), microseconds(end - begin), quoted(name), category,
                    arguments.empty() ? "" : ",\"args\":", arguments));
}

void TraceEvents::counter(int process, std::string_view name, std::int64_t time, std::string_view unit, double value) {
  write(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{"{}":{}}}}})", process, microseconds(time),
                    quoted(name), unit, value));
}

void TraceEvents::finish() {
  file_.write("\n]}\n");
}

}  // namespace toroid::views
