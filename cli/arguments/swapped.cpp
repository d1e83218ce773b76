#include "cli/arguments.hpp"

#include <cctype>
#include <filesystem>

#include "core/file.hpp"
#include "toroid/platforms/load.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::cli {
namespace {

struct Named {
  std::string what;
  std::string_view argument;  ///< the argument that takes it
};

/// The first format, but for the one that takes any text, that knows the file; empty if none does.
template <class Registry>
std::string format_of(const Registry& formats, const std::string& path, std::string_view takes_any) {
  const auto& all = formats.entries();
  const auto known = std::ranges::find_if(
      all, [&](const auto& format) { return format.name != takes_any && format.make.recognizes(path); });
  return known == all.end() ? std::string() : fmt::format(" ({})", known->name);
}

/// Whether a line is one of SWF: a comment, or the numbers of a job.
bool is_swf(std::string_view line) {
  constexpr auto blanks_of_a_job = 17;
  return line.starts_with(';') ||
         (std::ranges::count_if(line, [](char c) { return c == ' ' || c == '\t'; }) >= blanks_of_a_job &&
          line.find_first_not_of("0123456789.- \t") == std::string_view::npos);
}

/// Whether a line is an action of a rank, such as `0 init`.
bool is_action(std::string_view line) {
  const auto blank = line.find(' ');
  return blank != std::string_view::npos && core::parse_number<std::int32_t>(line.substr(0, blank)) &&
         blank + 1 < line.size() && std::isalpha(static_cast<unsigned char>(line[blank + 1])) != 0;
}

std::optional<Named> named_file(const std::string& path) {
  const auto first = core::first_content(path);
  if (first.starts_with('<')) return Named{"an XML file", "PLATFORM"};
  if (first.starts_with('{') || first.starts_with('[')) return std::nullopt;  // JSON of which kind its readers tell
  if (is_swf(first)) return Named{"a job log (swf)", "JOBS"};
  if (const auto format = format_of(jobs::job_formats(), path, "swf"); !format.empty())
    return Named{"a job log" + format, "JOBS"};
  if (is_action(first)) return Named{"a trace (ti)", "TRACE"};
  if (const auto format = format_of(workloads::trace_formats(), path, "ti"); !format.empty())
    return Named{"a trace" + format, "TRACE"};
  const bool has_numbers = !first.empty() && first.find_first_not_of("0123456789.,;- \te+") == std::string::npos;
  if (path.ends_with(".csv") && !has_numbers) return std::nullopt;  // a table whose columns its readers look for
  if (const auto format = format_of(workloads::matrix_formats(), path, ""); !format.empty())
    return Named{"a communication matrix" + format, "TRACE"};
  return std::nullopt;
}

std::optional<Named> named(const std::string& text) {
  const auto name = text.substr(0, text.find_first_of(":,"));
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return core::is_file(text) ? named_file(text) : std::nullopt;
  if (workloads::generators().has(name)) return Named{"a trace", "TRACE"};
  if (jobs::job_generators().has(name)) return Named{"a job stream", "JOBS"};
  if (platforms::is_platform_name(name)) return Named{"a platform", "PLATFORM"};
  return core::is_file(name) ? named_file(name) : std::nullopt;
}

}  // namespace

void refuse_swapped(std::string_view argument, const std::string& text) {
  if (argument == "PLATFORM" && platforms::is_topology_file(platforms::platform_file(text))) return;
  if (argument == "TRACE" && workloads::matrix_format_of(text) != nullptr) return;  // dense ones may look like logs
  if (const auto is = named(text); is && is->argument != argument)
    core::fail_input("'{}' is {}, where {} is expected: swapped with {}?", core::excerpt(text), is->what, argument,
                     is->argument);
}

}  // namespace toroid::cli
