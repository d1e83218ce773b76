#include "workloads/formats/file_list.hpp"

#include <filesystem>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

namespace toroid::workloads {

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
  core::LineReader reader(top);
  while (const auto text = reader.next()) {
    const std::string path(core::trim(*text));
    if (path.empty() || path[0] == '#') continue;
    files.emplace_back(listed_file(top, path), reader.line());
    if (files.back().first.empty())
      core::fail_input_at(top, reader.line(), "found '{}', expected {} or the path of a rank's file: no such file",
                          core::excerpt(path), what);
  }
  return files;
}

}  // namespace toroid::workloads
