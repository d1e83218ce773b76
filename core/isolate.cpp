#include "core/isolate.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::core {
namespace {

/// The first byte of what the child sends: what the rest is.
enum class Outcome : char { result = 'R', input_error = 'I', simulation_error = 'S' };

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

[[noreturn]] void be_child(const std::function<std::string(std::uint64_t&)>& work, std::uint64_t& progress, int pipe,
                           std::FILE* errors, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::dup2(::fileno(errors), STDERR_FILENO);
  ::dup2(::fileno(errors), STDOUT_FILENO);
  std::string message;
  try {
    message = static_cast<char>(Outcome::result) + work(progress);
  } catch (const InputError& error) {
    message = static_cast<char>(Outcome::input_error) + std::string(error.what());
  } catch (const SimulationError& error) {
    message = static_cast<char>(Outcome::simulation_error) + std::string(error.what());
  } catch (const std::exception& error) {
    message = static_cast<char>(Outcome::simulation_error) + fmt::format("internal error: {}", error.what());
  }
  write_all(pipe, message);
  ::_exit(0);  // no destructors: the library's own might crash, and nothing of this process is needed any more
}

std::string first_line(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 4096> chunk{};
  while (const auto n = std::fread(chunk.data(), 1, chunk.size(), file)) text.append(chunk.data(), n);
  const auto lines = split(trim(text), '\n');
  return std::string(trim(lines.front()));
}

[[noreturn]] void fail_to_start(std::string_view what) {
  throw SimulationError(fmt::format("cannot start a worker: {}: {}", what, std::strerror(errno)));
}

}  // namespace

IsolatedWork::IsolatedWork(const std::function<std::string(std::uint64_t&)>& work)
    : errors_(std::tmpfile(), std::fclose) {
  std::array<int, 2> ends{};
  if (!errors_) fail_to_start("tmpfile");
  void* shared = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail_to_start("mmap");
  progress_ = static_cast<std::uint64_t*>(shared);
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start("pipe");
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) fail_to_start("fork");
  if (child_ == 0) {
    ::close(ends[0]);
    be_child(work, *progress_, ends[1], errors_.get(), parent);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

IsolatedWork::~IsolatedWork() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  if (pipe_ >= 0) ::close(pipe_);
  if (progress_ != nullptr) ::munmap(progress_, sizeof(std::uint64_t));
}

bool IsolatedWork::receive() {
  std::array<char, 65536> chunk{};
  ssize_t n = 0;
  while ((n = ::read(pipe_, chunk.data(), chunk.size())) < 0 && errno == EINTR) {
  }
  if (n > 0) message_.append(chunk.data(), static_cast<std::size_t>(n));
  return n <= 0;
}

std::string IsolatedWork::result() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || message_.empty()) {
    const auto how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                         : fmt::format("exit code {}", WEXITSTATUS(status));
    const auto said = first_line(errors_.get());
    throw SimulationError(fmt::format("the simulation worker died ({}){}{}", how, said.empty() ? "" : ": ", said));
  }
  const std::string payload = message_.substr(1);
  if (message_[0] == static_cast<char>(Outcome::input_error)) throw InputError(payload);
  if (message_[0] == static_cast<char>(Outcome::simulation_error)) throw SimulationError(payload);
  return payload;
}

std::string run_isolated(const std::function<std::string(std::uint64_t&)>& work, Progress* bar) {
  IsolatedWork isolated(work);
  for (;;) {
    pollfd waiting{isolated.descriptor(), POLLIN, 0};
    ::poll(&waiting, 1, 100);
    if (bar != nullptr) bar->update(isolated.progress());
    if (waiting.revents != 0 && isolated.receive()) return isolated.result();
  }
}

}  // namespace toroid::core
