#include "study/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::study {

using core::Json;

Journal::Journal(std::string path, const Json& study) : path_(std::move(path)) {
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
  file_.reset(::fdopen(descriptor, "r+"));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) core::fail_input("{}: another study is writing this", path_);
  const auto good = read(study);
  // An unfinished last line goes; what is new comes behind the rest.
  if (::ftruncate(descriptor, static_cast<off_t>(good)) != 0 || std::fseek(file_.get(), 0, SEEK_END) != 0)
    core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
  if (good == 0) write_line({{"study", study}});
}

/// Takes in the finished lines that are there; returns how many bytes they are.
std::size_t Journal::read(const Json& study) {
  std::string text;
  std::array<char, 65536> chunk{};
  while (const auto n = std::fread(chunk.data(), 1, chunk.size(), file_.get())) text.append(chunk.data(), n);
  // Not even its first line was finished: nothing is lost.
  if (text.find('\n') == std::string::npos && text.starts_with("{\"study\":")) return 0;
  std::size_t begin = 0, number = 1;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const auto line = Json::parse(text.substr(begin, end - begin), nullptr, false);
    const bool is_object = line.is_object();
    if (begin == 0) {
      if (!is_object || !line.contains("study")) core::fail_input("{}: is there, but is no journal of a study", path_);
      if (line["study"] != study)
        core::fail_input("{}: belongs to a study with other settings or inputs; delete it or name another output",
                         path_);
    } else {
      const bool is_result = is_object && line.contains("task") && line["task"].is_number_unsigned() &&
                             line.contains("result") && line["result"].is_object() &&
                             line["result"].contains("runtime_s") && line["result"]["runtime_s"].is_number();
      if (!is_result)
        core::fail_input_at(path_, number, "found '{}', expected the result of a task; delete the line to go on",
                            core::excerpt(text.substr(begin, end - begin)));
      known_[line["task"].get<std::size_t>()] = line["result"];
    }
    begin = end + 1;
    ++number;
  }
  if (begin == 0 && !text.empty()) core::fail_input("{}: is there, but is no journal of a study", path_);
  return begin;
}

void Journal::write_line(const Json& line) {
  const auto text = line.dump() + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
}

void Journal::add(std::size_t task, const Json& result) {
  write_line({{"task", task}, {"result", result}});
}

void Journal::remove() {
  file_.reset();
  std::remove(path_.c_str());
}

}  // namespace toroid::study
