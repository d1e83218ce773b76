#include "jobs/program_text.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "core/error.hpp"
#include "core/file_list.hpp"
#include "core/text.hpp"

namespace toroid::jobs {
namespace {

std::int32_t largest_square(std::int32_t size) {
  auto root = static_cast<std::int32_t>(std::sqrt(size));
  while (root * root > size) --root;
  return root * root;
}

}  // namespace

std::string filled_in(const std::string& program, const Job& job) {
  const auto power2 = std::bit_floor(static_cast<std::uint32_t>(job.size));
  const std::map<std::string, std::string, std::less<>> values{{"size", std::to_string(job.size)},
                                                               {"power2", std::to_string(power2)},
                                                               {"square", std::to_string(largest_square(job.size))},
                                                               {"number", std::to_string(job.number)}};
  std::string text;
  for (std::size_t at = 0; at < program.size();) {
    const auto open = program.find('{', at), close = program.find('}', open);
    text += program.substr(at, open - at);
    if (open == std::string::npos) break;
    const auto name = close == std::string::npos ? program.substr(open) : program.substr(open + 1, close - open - 1);
    const auto value = values.find(name);
    if (value == values.end())
      core::fail_input("found {{{}}}, expected {{size}}, {{power2}}, {{square}} or {{number}}", core::excerpt(name));
    text += value->second;
    at = close + 1;
  }
  return text;
}

std::pair<std::string, std::string> cut_off(const std::string& text, const std::string& word) {
  const auto padded = text + " ";
  const auto at = padded.rfind(" " + word + " ");
  if (at == std::string::npos) return {text, {}};
  const auto after = core::trim(std::string_view(padded).substr(at + word.size() + 2));
  if (after.empty()) core::fail_input("{}: found nothing after it", word);
  return {std::string(core::trim(text.substr(0, at))), std::string(after)};
}

namespace {

/// The trace that the text names, perhaps a file; nothing where the text makes no sense, which who runs it is told.
std::string trace_of(const Job& job) try {
  return filled_in(cut_off(job.program, "rounds").first, job);
} catch (const core::InputError&) {
  return {};
}

}  // namespace

void keep_programs_of(const std::vector<Job>& jobs) {
  std::set<std::string> kept;
  for (const auto& job : jobs)
    if (!job.program.empty())
      if (const auto [file, is_new] = kept.insert(trace_of(job)); is_new) core::keep_with_listed(*file);
}

}  // namespace toroid::jobs
