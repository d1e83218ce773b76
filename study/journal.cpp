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
#include "core/file.hpp"
#include "core/text.hpp"

namespace toroid::study {

using core::Json;

namespace {

constexpr int format_version = 2;
constexpr std::size_t checksum_size = 16;

/// Against damage, not malice.
std::string checksum(std::string_view text) {
  return core::sha256_of_text(text).substr(0, checksum_size);
}

/// The text of a line, or nothing if it is not what was written.
std::optional<std::string_view> checked(std::string_view line) {
  if (line.size() <= checksum_size || line[checksum_size] != ' ') return std::nullopt;
  const auto text = line.substr(checksum_size + 1);
  return checksum(text) == line.substr(0, checksum_size) ? std::optional(text) : std::nullopt;
}

}  // namespace

Journal::Journal(std::string path, const Json& study) : path_(std::move(path)) {
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  if (descriptor < 0) core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
  file_.reset(::fdopen(descriptor, "r+"));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    core::fail_input("{}: is no regular file; expected one for the journal of the study", path_);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) core::fail_input("{}: another study is writing this", path_);
  // Two builds may differ in the last digit.
  const auto head = core::json_text({{"journal", format_version},
                                     {"build", core::sha256_of_file("/proc/self/exe").substr(0, checksum_size)},
                                     {"study", study}});
  const auto good = read(head);
  // An unfinished last line goes; what is new comes behind the rest.
  if (::ftruncate(descriptor, static_cast<off_t>(good)) != 0 || std::fseek(file_.get(), 0, SEEK_END) != 0)
    core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
  if (good > 0) return;
  try {
    write_line(head);
  } catch (const core::InputError&) {
    remove();  // rather no journal than the start of one
    throw;
  }
}

/// Takes in the finished lines that are there; returns how many bytes they are.
std::size_t Journal::read(const std::string& head) {
  std::string text;
  std::array<char, 65536> chunk{};
  while (const auto n = std::fread(chunk.data(), 1, chunk.size(), file_.get())) text.append(chunk.data(), n);
  // Not even its first line was finished: nothing is lost.
  if (const auto first = checksum(head) + " " + head; text.size() <= first.size() && first.starts_with(text)) return 0;
  std::size_t begin = 0;
  std::uint64_t number = 1;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin), ++number) {
    const auto line = checked(std::string_view(text).substr(begin, end - begin));
    if (number == 1)
      check_head(line, head);
    else if (!line)
      core::fail_input_at(path_, number,
                          "is damaged: found '{}', expected the result of a task; delete the line to go on",
                          core::excerpt(std::string_view(text).substr(begin, end - begin)));
    else
      take(Json::parse(*line));
    begin = end + 1;
  }
  if (begin == 0) core::fail_input("{}: is there, but is no journal of a study", path_);
  return begin;
}

void Journal::check_head(std::optional<std::string_view> found, const std::string& expected) const {
  if (!found) core::fail_input("{}: is there, but is no journal of a study, or a damaged one", path_);
  if (*found == expected) return;
  const auto ours = Json::parse(expected), theirs = Json::parse(*found);
  if (theirs.value("journal", 0) != format_version || theirs["build"] != ours["build"])
    core::fail_input("{}: was written by another build of toroid; delete it or name another output", path_);
  core::fail_input("{}: belongs to a study with other settings or inputs; delete it or name another output", path_);
}

void Journal::take(const Json& line) {
  known_[line["task"].get<std::size_t>()] = line["result"];
}

void Journal::write_line(const std::string& line) {
  const auto text = checksum(line) + " " + line + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
}

void Journal::add(std::size_t task, const Json& result) {
  write_line(core::json_text({{"task", task}, {"result", result}}));
}

void Journal::remove() {
  file_.reset();
  std::remove(path_.c_str());
}

}  // namespace toroid::study
