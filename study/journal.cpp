#include "study/journal.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/error.hpp"
#include "core/file.hpp"

namespace toroid::study {

using core::Json;

Journal::Journal(std::string path, const Json& study) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored)) read(study);
  // Written anew, so that an unfinished last line does not stay.
  file_ = std::fopen(path_.c_str(), "w");
  if (file_ == nullptr) core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
  write_line({{"study", study}});
  for (const auto& [task, result] : known_) write_line({{"task", task}, {"result", result}});
}

Journal::~Journal() {
  if (file_ != nullptr) std::fclose(file_);
}

void Journal::read(const Json& study) {
  core::LineReader reader(path_);
  while (const auto text = reader.next()) {
    const auto line = Json::parse(*text, nullptr, false);
    if (line.is_discarded()) break;
    if (reader.line() == 1) {
      if (line.value("study", Json()) != study)
        core::fail_input("{}: belongs to a study with other settings or inputs; delete it or name another output",
                         path_);
      continue;
    }
    known_[line.at("task").get<std::size_t>()] = line.at("result");
  }
}

void Journal::write_line(const Json& line) {
  const auto text = line.dump() + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0)
    core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
}

void Journal::add(std::size_t task, const Json& result) {
  write_line({{"task", task}, {"result", result}});
}

void Journal::remove() {
  std::fclose(std::exchange(file_, nullptr));
  std::remove(path_.c_str());
}

}  // namespace toroid::study
