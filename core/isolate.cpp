#include "core/isolate.hpp"

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
#include <memory>

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

std::string read_all(int fd, const std::uint64_t& progress, Progress* bar) {
  std::string all;
  std::array<char, 65536> chunk{};
  for (;;) {
    pollfd waiting{fd, POLLIN, 0};
    ::poll(&waiting, 1, 100);
    if (bar != nullptr) bar->update(progress);
    if (waiting.revents == 0) continue;
    const auto n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return all;
    all.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

std::string first_line(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 4096> chunk{};
  while (const auto n = std::fread(chunk.data(), 1, chunk.size(), file)) text.append(chunk.data(), n);
  const auto lines = split(trim(text), '\n');
  return std::string(trim(lines.front()));
}

}  // namespace

std::string run_isolated(const std::function<std::string(std::uint64_t&)>& work, Progress* bar) {
  const auto fail = [](std::string_view what) {
    throw SimulationError(fmt::format("cannot start a worker: {}: {}", what, std::strerror(errno)));
  };
  std::array<int, 2> ends{};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors(std::tmpfile(), std::fclose);
  if (!errors) fail("tmpfile");
  void* shared = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("mmap");
  auto& progress = *static_cast<std::uint64_t*>(shared);
  if (::pipe(ends.data()) != 0) fail("pipe");
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    ::close(ends[0]);
    be_child(work, progress, ends[1], errors.get(), parent);
  }
  ::close(ends[1]);
  const std::string message = read_all(ends[0], progress, bar);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::munmap(shared, sizeof(std::uint64_t));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || message.empty()) {
    const auto how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                         : fmt::format("exit code {}", WEXITSTATUS(status));
    const auto said = first_line(errors.get());
    throw SimulationError(fmt::format("the simulation worker died ({}){}{}", how, said.empty() ? "" : ": ", said));
  }
  const std::string payload = message.substr(1);
  if (message[0] == static_cast<char>(Outcome::input_error)) throw InputError(payload);
  if (message[0] == static_cast<char>(Outcome::simulation_error)) throw SimulationError(payload);
  return payload;
}

}  // namespace toroid::core
