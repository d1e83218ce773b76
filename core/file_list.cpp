#include "core/file_list.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/inputs.hpp"
#include "core/text.hpp"

namespace toroid::core {

namespace fs = std::filesystem;

std::string listed_file(const std::string& top, const std::string& path) {
  const auto folder = fs::path(top).parent_path();
  std::error_code ignored;
  for (const auto& candidate : {fs::path(path), folder / path, folder / fs::path(path).filename()})
    if (fs::is_regular_file(candidate, ignored)) return candidate.string();
  return {};
}

std::vector<std::pair<std::string, std::uint64_t>> listed_files(const std::string& top, const std::string& what) {
  std::vector<std::pair<std::string, std::uint64_t>> files;
  LineReader reader(top);
  while (const auto text = reader.next()) {
    const std::string path(trim(*text));
    if (path.empty() || path[0] == '#') continue;
    files.emplace_back(listed_file(top, path), reader.line());
    if (files.back().first.empty())
      fail_input_at(top, reader.line(), "found '{}', expected {} or the path of a rank's file: no such file",
                    excerpt(path), what);
  }
  return files;
}

void keep_with_listed(const std::string& path) {
  constexpr std::size_t longest = 4'096;  // path
  Inputs::keep(path);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return;
  // Not by a LineReader: what is in the file does not matter, but for this, and it may be a large one.
  std::ifstream lines(path);
  for (std::array<char, longest> text{}; lines.getline(text.data(), longest);) {
    const std::string line(trim(std::string_view(text.data())));
    if (line.empty() || line[0] == '#') continue;
    const auto file = listed_file(path, line);
    if (file.empty()) return;
    Inputs::keep(file);
  }
}

}  // namespace toroid::core
