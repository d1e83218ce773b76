#include "core/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "core/inputs.hpp"
#include "core/packing/packing.hpp"
#include "core/progress.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t flushed_at = std::size_t{1} << 17U;
constexpr int most_links = 40;               // that lead from one to the next, as in the kernel
constexpr std::size_t most_of_a_name = 200;  // leaves room for the ending of a temporary file
constexpr std::string_view partial_mark = ".partial.";

/// The open descriptor that a path names, like those the shell gives for >(command); -1 if it names none.
int named_descriptor(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder)) return parse_number<int>(std::string_view(path).substr(folder.size())).value_or(-1);
  return -1;
}

constexpr int device_flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;

/// Which waits until somebody reads it.
int open_pipe(const std::string& path) {
  const int descriptor = ::open(path.c_str(), device_flags | O_NONBLOCK);
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFL, 0);  // it may wait for its reader when it writes
  if (descriptor >= 0 || errno != ENXIO) return descriptor;
  announce(fmt::format("{}: a pipe that nobody reads yet: waiting for its reader", excerpt(path)));
  return ::open(path.c_str(), device_flags);
}

/// Where a chain of symbolic links ends, be there a file or not.
std::string behind_links(std::string path) {
  for (int i = 0; i < most_links; ++i) {
    std::error_code is_no_link;
    const auto next = fs::read_symlink(path, is_no_link);
    if (is_no_link) break;
    path = (fs::path(path).parent_path() / next).string();
  }
  return path;
}

/// The name under which an output is built by this process; `number` is more than 0 where that name is taken.
std::string beside(const std::string& output, int number) {
  const fs::path target(output);
  const auto start =
      target.filename().string().substr(0, most_of_a_name) + std::string(partial_mark) + std::to_string(::getpid());
  return (target.parent_path() / (number == 0 ? start : fmt::format("{}.{}", start, number))).string();
}

[[noreturn]] void fail_is_input(const std::string& path) {
  fail_input("'{}' is an input of this run; expected another file for its output", path);
}

/// All that live.
std::vector<const OutputSet*>& output_sets() {
  static std::vector<const OutputSet*> sets;
  return sets;
}

}  // namespace

void Output::remove_temporary() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  std::error_code ignored;
  if (is_folder_)
    fs::remove_all(temporary_, ignored);
  else if (!temporary_.empty())
    ::unlink(temporary_.c_str());  // which spares a folder that somebody has put there
  temporary_.clear();
  ephemeral_.reset();
}

void Output::fail(int error) const {
  if (is_standard_output_) fail_input("standard output cannot be written: {}", std::strerror(error));
  fail_input("{}: cannot be written: {}", path_, std::strerror(error));
}

OutputFile::OutputFile(const std::string& path) : Output(path, false), packer_(make_packer(path)) {
  if (const int named = named_descriptor(path_); named >= 0) {
    is_standard_output_ = named == STDOUT_FILENO;
    if (is_standard_output_ && !has_standard_output()) fail(EBADF);
    descriptor_ = ::fcntl(is_standard_output_ ? ::fileno(stdout) : named, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    // Opened once and for all: who reads a pipe takes a second opening for another writer.
    descriptor_ = S_ISFIFO(status.st_mode) ? open_pipe(path_) : ::open(path_.c_str(), device_flags);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  // Replacing asks for no permission to write, and the administrator has every one.
  constexpr mode_t writable = S_IWUSR | S_IWGRP | S_IWOTH;
  if (exists && (status.st_mode & writable) == 0) fail(EACCES);
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail(errno);
  target_ = behind_links(path_);
  create();  // to see whether that works; a long run leaves nothing until it writes
  remove_temporary();
}

/// Makes the file beside its place, with the rights of the one that it will replace.
void OutputFile::create() {
  for (int i = 0; descriptor_ < 0; ++i) {
    temporary_ = beside(target_, i);
    const SignalsHeld held;
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX | LOCK_NB);  // see LeftOvers
    if (descriptor_ >= 0) ephemeral_.emplace(temporary_);
    if (descriptor_ < 0 && errno != EEXIST) {
      temporary_.clear();
      fail(errno);
    }
  }
  struct stat old {};
  if (::stat(target_.c_str(), &old) != 0) return;
  // Only the administrator can give files away; others keep what they make.
  if (::fchown(descriptor_, old.st_uid, old.st_gid) != 0) errno = 0;
  ::fchmod(descriptor_, old.st_mode & 07777U);
}

void OutputFile::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= flushed_at) flush(false);
}

void OutputFile::flush(bool end) {
  if (descriptor_ < 0) create();
  if (is_standard_output_) std::fflush(stdout);  // what was printed comes first
  const auto text = std::exchange(pending_, {});
  put(packer_ ? packer_->pack(text, end) : text);
}

void OutputFile::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {  // a pipe whose other end does not want to wait
      pollfd ready{descriptor_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void OutputFile::finish() {
  if (std::exchange(finished_, true)) return;
  flush(true);
  // A disk may turn out full only now.
  if (is_file() && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) fail(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void OutputFile::appear() {
  if (!is_file()) return;
  struct stat status {};
  if (::stat(target_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    fail(EEXIST);  // a folder could be exchanged, too
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    place_ = Place::exchanged;  // the temporary file is the old one now
  } else {                      // there is no old one, or the file system cannot exchange files
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    place_ = Place::alone;
  }
}

void OutputFile::disappear() {
  if (place_ == Place::exchanged)
    ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE);
  else if (place_ == Place::alone)
    ::rename(target_.c_str(), temporary_.c_str());
  place_ = Place::hidden;
}

OutputFolder::OutputFolder(const std::string& path) : Output(path, true) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  if (named_descriptor(path_) >= 0) fail_input("{}: found a stream, expected the name of a new folder", path_);
  check_is_new();
  create();  // to see whether that works; a long run leaves nothing until it writes
  remove_temporary();
}

void OutputFolder::check_is_new() const {
  struct stat status {};
  if (::lstat(path_.c_str(), &status) == 0)
    fail_input("{}: is there already; expected the name of a new folder", path_);
}

void OutputFolder::create() {
  for (int i = 0; descriptor_ < 0; ++i) {
    temporary_ = beside(path_, i);
    const SignalsHeld held;
    if (::mkdir(temporary_.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      const int error = errno;
      temporary_.clear();
      fail(error);
    }
    ephemeral_.emplace(temporary_, Ephemeral::Content::everything);
    descriptor_ = ::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    ::flock(descriptor_, LOCK_EX | LOCK_NB);  // see LeftOvers
  }
}

void OutputFolder::finish() {
  if (std::exchange(finished_, true)) return;
  create();  // if nobody had a file for it
  if (::syncfs(descriptor_) != 0) fail(errno);
}

void OutputFolder::appear() {
  check_is_new();
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) fail(errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);  // this replaces an empty folder at worst
  }
  temporary_.clear();
  ephemeral_.reset();
}

void OutputFolder::disappear() {
  temporary_ = path_;  // which goes with this object
}

/// Files under construction whose process was killed outright: they go when the same output is written again. And files
/// that an output will replace: they stay open, so that no other one gets their numbers while these are compared.
class OutputSet::LeftOvers {
 public:
  /// `type` is S_IFREG or S_IFDIR: only what is of the output's type.
  void remove_those_of(const std::string& output, mode_t type) {
    const fs::path target(behind_links(output));
    const auto folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const auto [found, is_new] = folders_.try_emplace(folder.string());
    if (is_new) found->second = partial_files_in(folder);
    const auto [begin, end] = found->second.equal_range(target.filename().string().substr(0, most_of_a_name));
    for (auto file = begin; file != end; ++file) remove_unless_in_use(file->second, type);
  }

  /// Holds the file open from now on, and returns a path that leads to it, whatever its own path comes to mean. Where
  /// there is no file that is its path.
  std::string held(const std::string& path) {
    const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0) return path;
    held_.emplace_back(nullptr, [file](void*) { ::close(file); });
    return fmt::format("/proc/self/fd/{}", file);
  }

 private:
  using Files = std::multimap<std::string, std::string>;  ///< paths, by the name of the output that they were to be

  /// `NAME.partial.PROCESS` or `NAME.partial.PROCESS.NUMBER` of processes that are not there.
  static Files partial_files_in(const fs::path& folder) {
    Files files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const auto name = entry.path().filename().string();
      const auto mark = name.rfind(partial_mark);
      if (mark == std::string::npos) continue;
      const auto numbers = split(std::string_view(name).substr(mark + partial_mark.size()), '.');
      const auto process = parse_number<pid_t>(numbers[0]);
      const bool is_ours =
          process && *process > 0 && (numbers.size() == 1 || (numbers.size() == 2 && parse_number<int>(numbers[1])));
      if (is_ours && ::kill(*process, 0) != 0 && errno == ESRCH)
        files.emplace(name.substr(0, mark), entry.path().string());
    }
    return files;
  }

  /// Its process may be on another machine, or hidden from us: it has a lock while it writes.
  static void remove_unless_in_use(const std::string& path, mode_t type) {
    const int how = type == S_IFDIR ? O_RDONLY | O_DIRECTORY : O_RDWR;
    const int descriptor = ::open(path.c_str(), how | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return;
    struct stat status {};
    const bool is_output = ::fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == type;
    std::error_code ignored;
    if (is_output && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
    ::close(descriptor);
  }

  std::map<std::string, Files> folders_;
  std::vector<std::shared_ptr<void>> held_;
};

OutputSet::OutputSet() : left_overs_(std::make_unique<LeftOvers>()) {
  // A file that standard output goes to must not be replaced: what is printed would be lost.
  struct stat status {};
  if (::fstat(::fileno(stdout), &status) == 0 && S_ISREG(status.st_mode))
    outputs_.emplace(Identity{status.st_dev, status.st_ino, ""}, "standard output");
  output_sets().push_back(this);
}

OutputSet::~OutputSet() {
  std::erase(output_sets(), this);
}

std::optional<OutputSet::Identity> OutputSet::identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISCHR(status.st_mode)) return std::nullopt;  // /dev/null takes everything
    return Identity{status.st_dev, status.st_ino, ""};
  }
  const fs::path file(behind_links(path));
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino, file.filename().string()};
}

void OutputSet::claim(const std::optional<Identity>& file, const std::string& path) {
  if (!file) return;
  const auto [other, is_new] = outputs_.emplace(*file, path);
  if (!is_new && other->second == path) fail_input("'{}' is given for two outputs", path);
  if (!is_new) fail_input("'{}' and '{}' are the same file; expected one for each output", other->second, path);
  if (file->name.empty() && Inputs::have(file->device, file->number)) fail_is_input(path);
}

void OutputSet::claim(const std::string& path) {
  claim(identity(left_overs_->held(path)), path);
}

OutputFile& OutputSet::add(const std::string& path) {
  left_overs_->remove_those_of(path, S_IFREG);
  auto file = std::make_unique<OutputFile>(path);
  claim(file->is_standard_output() ? Identity{0, 0, "-"} : identity(left_overs_->held(path)), path);
  auto& added = *file;
  all_.push_back(std::move(file));
  return added;
}

OutputFolder& OutputSet::add_folder(const std::string& path) {
  auto folder = std::make_unique<OutputFolder>(path);
  left_overs_->remove_those_of(folder->path(), S_IFDIR);
  claim(folder->path());
  auto& added = *folder;
  all_.push_back(std::move(folder));
  return added;
}

void OutputSet::refuse_input(const std::string& path, std::uint64_t device, std::uint64_t number) {
  struct stat status {};
  if (::fstat(::fileno(stdout), &status) == 0 && status.st_dev == device && status.st_ino == number)
    fail_input("'{}' is an input of this run; expected that standard output goes elsewhere", path);
  const Identity input{device, number, ""};
  for (const auto* set : output_sets())
    for (const auto& [file, output] : set->outputs_)
      if (file == input || (!file.name.empty() && output != "-" && identity(output) == input)) fail_is_input(output);
}

void OutputSet::commit() {
  for (const auto& output : all_) output->finish();
  const SignalsHeld held;
  std::size_t there = 0;
  try {
    for (; there < all_.size(); ++there) all_[there]->appear();
  } catch (...) {
    while (there-- > 0) all_[there]->disappear();
    all_.clear();
    throw;
  }
  all_.clear();  // and with them the old files
}

void write_text(const std::string& path, std::string_view text) {
  OutputSet outputs;
  outputs.add(path).write(text);
  outputs.commit();
}

}  // namespace toroid::core
