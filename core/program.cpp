#include "core/program.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "core/error.hpp"

namespace toroid::core {
namespace {

/// What would end this process, and the end of the program.
sigset_t awaited_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD}) ::sigaddset(&set, signal);
  return set;
}

/// Held back while this lives: they are awaited.
class Awaited {
 public:
  Awaited() {
    const auto set = awaited_signals();
    ::sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~Awaited() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    if (!variables.contains(std::string(entry.substr(0, entry.find('='))))) all.emplace_back(entry);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

/// As C wants it. The strings must outlive it.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// The program gets signals as this process got them.
pid_t start(std::vector<std::string> words, const std::map<std::string, std::string>& variables, const sigset_t& mask) {
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  sigset_t usual;
  ::sigemptyset(&usual);
  ::sigaddset(&usual, SIGXFSZ);  // which prepare_process ignores
  ::posix_spawnattr_setsigdefault(&how, &usual);
  ::posix_spawnattr_setsigmask(&how, &mask);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  auto environment = environment_with(variables);
  pid_t program = -1;
  const int error =
      ::posix_spawnp(&program, words[0].c_str(), nullptr, &how, pointers(words).data(), pointers(environment).data());
  ::posix_spawnattr_destroy(&how);
  if (error != 0) fail_input("{} cannot be started: {}", words[0], std::strerror(error));
  return program;
}

int end_of(pid_t program) {
  const auto signals = awaited_signals();
  int status = 0;
  for (;;) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&signals, &info);
    if (::waitpid(program, &status, WNOHANG) == program) return status;
    // What a terminal sends reaches the program, too.
    if (signal > 0 && signal != SIGCHLD && info.si_code == SI_USER) ::kill(program, signal);
  }
}

}  // namespace

void run_program(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables) {
  const Awaited awaited;
  const int status = end_of(start(words, variables, awaited.before()));
  if (WIFSIGNALED(status))
    throw SimulationError(fmt::format("{} was ended by signal {} ({})", excerpt(words[0]), WTERMSIG(status),
                                      ::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    throw SimulationError(fmt::format("{} ended with exit code {}", excerpt(words[0]), WEXITSTATUS(status)));
}

}  // namespace toroid::core
