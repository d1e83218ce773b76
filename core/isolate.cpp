#include "core/isolate.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "core/interrupt.hpp"

namespace toroid::core {
namespace {

/// The first byte of what the child sends: what the rest is.
enum class Outcome : char { result = 'R', input_error = 'I', simulation_error = 'S' };

ForkHooks fork_hooks;

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// Where the parent's pipe is in the child.
constexpr int pipe_to_parent = STDERR_FILENO + 1;

/// At once, and not by an exception: what undoes half-done work wants memory, too.
[[noreturn]] void die_without_memory() {
  constexpr char outcome = static_cast<char>(Outcome::simulation_error);
  write_all(pipe_to_parent, {&outcome, 1});
  write_all(pipe_to_parent, out_of_memory);
  ::_exit(0);
}

/// All others are the parent's: kept, they would leave a worker among many few to open files with, and keep pipes and
/// locks from ending with the parent.
void keep_only(int pipe) {
  if (pipe != pipe_to_parent) ::dup2(pipe, pipe_to_parent);
  ::close_range(pipe_to_parent + 1, ~0U, 0);
}

[[noreturn]] void be_child(const std::function<std::string(std::uint64_t&)>& work, std::uint64_t& progress, int pipe,
                           int printed, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::dup2(printed, STDERR_FILENO);
  ::dup2(printed, STDOUT_FILENO);
  keep_only(pipe);
  std::set_new_handler(die_without_memory);
  std::string message;
  try {
    message = static_cast<char>(Outcome::result) + work(progress);
  } catch (const InputError& error) {
    message = static_cast<char>(Outcome::input_error) + std::string(error.what());
  } catch (const SimulationError& error) {
    message = static_cast<char>(Outcome::simulation_error) + std::string(error.what());
  } catch (const std::bad_alloc&) {  // of no allocation: a library's own
    die_without_memory();
  } catch (const std::exception& error) {
    message = static_cast<char>(Outcome::simulation_error) + fmt::format("internal error: {}", error.what());
  } catch (...) {  // of a library, or of a plug-in
    message =
        static_cast<char>(Outcome::simulation_error) + std::string("internal error: an exception that says nothing");
  }
  write_all(pipe_to_parent, message);
  ::_exit(0);  // no destructors: the library's own might crash, and nothing of this process is needed any more
}

}  // namespace

void set_fork_hooks(const ForkHooks& hooks) {
  fork_hooks = hooks;
}

IsolatedWork::IsolatedWork(const std::function<std::string(std::uint64_t&)>& work) {
  const auto cannot = [&](std::string_view what) {
    const int error = errno;
    release();
    throw CannotStart(fmt::format("cannot start a worker: {}: {}", what, std::strerror(error)));
  };
  printed_ = ::memfd_create("printed", MFD_CLOEXEC);
  if (printed_ < 0) cannot("memfd_create");
  void* shared = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) cannot("mmap");
  progress_ = static_cast<std::uint64_t*>(shared);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) cannot("pipe");
  pipe_ = ends[0];
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  fork_hooks.before();
  child_ = ::fork();
  if (child_ == 0) {
    fork_hooks.after_in_child();
    ::close(ends[0]);
    be_child(work, *progress_, ends[1], printed_, parent);
  }
  const int error = errno;
  fork_hooks.after_in_parent();
  ::close(ends[1]);
  errno = error;
  if (child_ < 0) cannot("fork");
  ephemeral_.emplace(child_);
}

IsolatedWork::~IsolatedWork() {
  release();
}

void IsolatedWork::release() {
  ephemeral_.reset();
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  for (const int descriptor : {pipe_, printed_})
    if (descriptor >= 0) ::close(descriptor);
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

/// The first line of what the child printed, as much of it as a message takes.
std::string IsolatedWork::first_line() const {
  std::array<char, 4096> start{};
  const auto n = ::pread(printed_, start.data(), start.size(), 0);
  const auto text = trim({start.data(), static_cast<std::size_t>(std::max<ssize_t>(0, n))});
  return excerpt(trim(text.substr(0, text.find('\n'))), 500);
}

std::string IsolatedWork::result() {
  int status = 0;
  ephemeral_.reset();
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || message_.empty()) {
    const auto how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                         : fmt::format("exit code {}", WEXITSTATUS(status));
    const auto said = first_line();
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
    end_if_interrupted();
    if (bar != nullptr) bar->update(isolated.progress());
    if (waiting.revents != 0 && isolated.receive()) return isolated.result();
  }
}

}  // namespace toroid::core
