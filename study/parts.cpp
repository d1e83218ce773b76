#include "study/parts.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "study/journal.hpp"

namespace toroid::study {

using core::Json;

Part Part::parse(std::string_view text) {
  constexpr std::size_t most = 1'000'000;
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = core::parse_number<std::size_t>(text.substr(0, slash));
    const auto of = core::parse_number<std::size_t>(text.substr(slash + 1));
    if (number && of && *number >= 1 && *number <= *of && *of <= most) return {*number, *of};
  }
  core::fail_input("found '{}', expected K/N, part K of N: 1/8 to 8/8, of at most {}", text, most);
}

std::string Part::text() const {
  return fmt::format("{}/{}", number, of);
}

std::pair<std::size_t, std::size_t> Part::range(std::size_t runs) const {
  const auto before = [&](std::size_t parts) { return runs / of * parts + runs % of * parts / of; };
  return {before(number - 1), before(number)};
}

Json part_record(const Part& part, const Json& arguments) {
  return {{"part", part.text()}, {"arguments", arguments}};
}

namespace {

struct PartFile {
  Part part;
  Json arguments;
};

PartFile read_head(const std::string& path) {
  const auto head = Journal::last_head(path);
  if (!head.contains("part") || !head["part"].is_string() || !head.contains("arguments"))
    core::fail_input("{}: is no part of a study; expected a file that compare --part wrote", path);
  return {Part::parse(head["part"].get<std::string>()), head["arguments"]};
}

/// Where two records differ, for a message.
std::string first_difference(const Json& a, const Json& b) {
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (const auto& [name, value] : one->items())
      if (!other->contains(name) || (*other)[name] != value) return name;
  return "the order of arguments";
}

}  // namespace

void check_part_file(const Part& part, const std::string& path) {
  if (!core::is_file(path)) return;
  const auto head = Journal::last_head(path);
  if (head.contains("part") && head["part"] != part.text())
    core::fail_input("{}: is part {} of a study; expected a new file for part {}, or its own", path,
                     core::excerpt(core::json_text(head["part"])), part.text());
}

PartFiles find_parts(const std::vector<std::string>& paths) {
  std::optional<PartFile> first;
  std::vector<std::string> by_number;
  for (const auto& path : paths) {
    auto file = read_head(path);
    if (!first) {
      first = file;
      by_number.resize(first->part.of);
    }
    if (file.part.of != first->part.of)
      core::fail_input("{} is part {}, and {} is part {}: parts of different studies", paths[0], first->part.text(),
                       path, file.part.text());
    if (file.arguments != first->arguments)
      core::fail_input("{} and {} are parts of different studies: {} differs", paths[0], path,
                       first_difference(first->arguments, file.arguments));
    auto& place = by_number[file.part.number - 1];
    if (!place.empty()) core::fail_input("{} and {} are both part {}", place, path, file.part.text());
    place = path;
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < by_number.size(); ++i)
    if (by_number[i].empty()) missing.push_back(Part{i + 1, by_number.size()}.text());
  if (!missing.empty())
    core::fail_input("{} missing: {}", missing.size() == 1 ? "a part is" : "parts are", core::join(missing));
  return {by_number, first->arguments};
}

}  // namespace toroid::study
