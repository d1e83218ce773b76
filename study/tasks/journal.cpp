#include "study/tasks/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace toroid::study {

using core::Json;

namespace {

constexpr std::string_view head_start = "{\"settings\":";
constexpr std::size_t checksum_size = 16;

/// Against damage, not malice. A run's is that of its head and its own line, so that it is believed below that head
/// alone, whatever becomes of the lines between.
std::string checksum(std::string_view head, std::string_view text) {
  return core::sha256_of_text(std::string(head) + std::string(text)).substr(0, checksum_size);
}

/// The JSON of a line, or nothing if it is not what was written.
std::optional<std::string_view> checked(std::string_view head, std::string_view line) {
  if (line.size() <= checksum_size || line[line.size() - checksum_size - 1] != ' ') return std::nullopt;
  const auto json = line.substr(0, line.size() - checksum_size - 1);
  return checksum(head, json) == line.substr(json.size() + 1) ? std::optional(json) : std::nullopt;
}

/// The value that a line stands for; null if it is no JSON.
Json json_of(std::string_view line) {
  try {
    return core::parse_json(line);
  } catch (const core::JsonError&) {
    return {};
  }
}

/// Calls `take` with each finished line and its number, and returns how many bytes these lines are. Throws InputError
/// on a line that no study writes, which may be as long as the file.
template <class Take>
std::size_t for_each_line(std::FILE* file, const std::string& path, Take take) {
  constexpr std::size_t longest = std::size_t{1} << 26U;
  std::string text;  // what is not taken yet
  std::size_t taken = 0, number = 0;
  std::array<char, 65536> chunk{};
  while (const auto n = std::fread(chunk.data(), 1, chunk.size(), file)) {
    text.append(chunk.data(), n);
    std::size_t begin = 0;
    for (auto end = text.find('\n', text.size() - n); end != std::string::npos; end = text.find('\n', begin)) {
      take(++number, text.substr(begin, end - begin));
      begin = end + 1;
    }
    taken += begin;
    text.erase(0, begin);
    if (text.size() > longest)
      core::fail_input_at(path, number + 1, "the line is longer than {} bytes, expected that of a journal", longest);
  }
  return taken;
}

/// As it comes back from a file: names that are no UTF-8 are changed there.
Json as_written(const Json& json) {
  return core::parse_json(core::json_text(json));
}

/// Tells this build of the program from others: two may differ in the last digit.
const std::string& build() {
  static const std::string checksum = core::sha256_of_file("/proc/self/exe").substr(0, checksum_size);
  return checksum;
}

}  // namespace

Json hashes_of(const std::vector<Input>& inputs) {
  Json hashes = Json::object();
  for (const auto& input : inputs) {
    auto& of_files = hashes[input.name] = Json::array();
    for (const auto& file : input.files) of_files.push_back(file.sha256);
  }
  return hashes;
}

Json hashes_of_others(const std::vector<Input>& inputs) {
  std::set<std::string> named;
  for (const auto& input : inputs)
    for (const auto& file : input.files) named.insert(file.path);
  Json hashes = Json::array();
  for (const auto& file : core::Inputs::of_command()->files())
    if (!named.contains(file.path)) hashes.push_back(file.sha256);
  return hashes;
}

Journal::Journal(std::string path, Head head, Access access)
    : path_(std::move(path)),
      head_(as_written(
          {{"settings", std::move(head.settings)}, {"build", build()}, {"inputs", std::move(head.inputs)}})) {
  head_.update(as_written(head.about));
  const bool adds = access == Access::add;
  const int descriptor =
      ::open(path_.c_str(), (adds ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  if (descriptor < 0) core::fail_input("{}: cannot be {}: {}", path_, adds ? "written" : "read", std::strerror(errno));
  file_.reset(::fdopen(descriptor, adds ? "r+" : "r"));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    core::fail_input("{}: is no regular file; expected one for the journal of the study", path_);
  if (::flock(descriptor, (adds ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0)
    core::fail_input("{}: another study is writing this", path_);
  const auto good = read();
  if (!adds) return;
  // An unfinished last line goes; what is new comes behind the rest.
  if (::ftruncate(descriptor, static_cast<off_t>(good)) != 0 || std::fseek(file_.get(), 0, SEEK_END) != 0)
    core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
}

/// Removes the file if it says nothing, unless others wrote it.
Journal::~Journal() {
  struct stat status {};
  const bool is_empty = file_ && ::fstat(::fileno(file_.get()), &status) == 0 && status.st_size == 0;
  if (is_empty && (::fcntl(::fileno(file_.get()), F_GETFL) & O_ACCMODE) == O_RDWR) ::unlink(path_.c_str());
}

/// Takes in the finished lines that are there; returns how many bytes they are.
std::size_t Journal::read() {
  std::string start(head_start.size(), '\0');
  start.resize(std::fread(start.data(), 1, start.size(), file_.get()));
  std::rewind(file_.get());
  if (!head_start.starts_with(start)) core::fail_input("{}: is there, but is no journal of a study", path_);
  return for_each_line(file_.get(), path_, [&](std::size_t number, const std::string& line) { take(number, line); });
}

void Journal::take(std::size_t number, const std::string& text) {
  const bool is_head = text.starts_with(head_start);
  const auto json = checked(is_head ? "" : core::json_text(last_head_), text);
  if (!json && is_head)
    core::fail_input_at(path_, number,
                        "is damaged: found '{}', expected what the runs below have in common; delete the line and "
                        "those below to go on",
                        core::excerpt(text));
  if (!json)
    core::fail_input_at(path_, number,
                        "is damaged: found '{}', expected the result of a run as the head above has them; delete the "
                        "line to go on",
                        core::excerpt(text));
  const auto line = json_of(*json);
  if (line.is_object() && line.contains("settings") && line.contains("inputs") && line["inputs"].is_object()) {
    last_head_ = line;
    return;
  }
  const auto has_object = [&](const char* key) {
    return line.is_object() && line.contains(key) && line[key].is_object();
  };
  const bool is_failure = has_object("run") && line.contains("error") && line["error"].is_string();
  if (!has_object("run") || !(has_object("result") || is_failure))
    core::fail_input_at(path_, number, "found '{}', expected the result of a run; delete the line to go on",
                        core::excerpt(text));
  if (!is_current(line["run"])) return;
  if (is_failure)
    failures_[core::json_text(line["run"])] = line["error"];
  else
    known_[core::json_text(line["run"])] = line["result"];
}

/// Whether it was made with the settings and from the inputs of this study.
bool Journal::is_current(const Json& run) const {
  const auto same_input = [&](const Json& name) {
    const auto hashes = [&](const Json& head) {
      return name.is_string() ? head["inputs"].value(name.get<std::string>(), Json()) : Json();
    };
    return hashes(last_head_) == hashes(head_);
  };
  return last_head_["settings"] == head_["settings"] && last_head_.value("build", Json()) == head_["build"] &&
         std::ranges::all_of(run, same_input);
}

const Json* Journal::find(const Json& run) const {
  const auto found = known_.find(core::json_text(run));
  return found == known_.end() ? nullptr : &found->second;
}

const std::string* Journal::find_failure(const Json& run) const {
  const auto found = failures_.find(core::json_text(run));
  return found == failures_.end() ? nullptr : &found->second;
}

void Journal::begin() {
  if (last_head_ != head_) write_line({}, last_head_ = head_);
}

void Journal::add(const Json& run, const Json& result) {
  begin();
  write_line(core::json_text(last_head_), {{"run", run}, {"result", result}});
}

void Journal::add_failure(const Json& run, const std::string& error) {
  begin();
  write_line(core::json_text(last_head_), {{"run", run}, {"error", error}});
}

std::string Journal::made_from_others() const {
  if (last_head_.empty()) return {};
  const auto differs = [&](const char* key) { return last_head_.value(key, Json()) != head_.value(key, Json()); };
  if (differs("build")) return "by another build of toroid";
  if (differs("inputs")) return "from other files than those that are there now";
  if (differs("settings")) return "with other settings or files";
  return {};
}

Json Journal::last_head(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (!file) core::fail_input("{}: {}; expected the journal of a study", path, std::strerror(errno));
  Json head;
  for_each_line(file.get(), path, [&](std::size_t, const std::string& line) {
    if (!line.starts_with(head_start)) return;
    if (const auto json = checked("", line)) head = json_of(*json);
  });
  return head;
}

void Journal::write_line(const std::string& head, const Json& line) {
  const auto json = core::json_text(line);
  const auto text = json + " " + checksum(head, json) + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    core::fail_input("{}: cannot be written: {}", path_, std::strerror(errno));
}

}  // namespace toroid::study
