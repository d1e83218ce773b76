#include "core/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>
#include <string_view>

#include "core/error.hpp"

namespace toroid::core {

struct Ephemeral::Entry {
  std::atomic<bool> active{true};
  pid_t owner = 0;  ///< a forked worker inherits the list, but nothing in it is its own
  pid_t process = 0;
  std::string file;
  Entry* next = nullptr;
};

namespace {

constexpr std::array ending_signals{SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};
bool standard_output_open = true;

// The handler may come at any time: entries stay in the list for good, and are used again.
std::atomic<Ephemeral::Entry*> entries{nullptr};

void remove_ephemeral() {
  const pid_t self = ::getpid();
  const auto is_ours = [&](const Ephemeral::Entry& entry) { return entry.active && entry.owner == self; };
  for (auto* entry = entries.load(); entry != nullptr; entry = entry->next) {
    if (!is_ours(*entry)) continue;
    if (entry->process == 0) {
      ::unlink(entry->file.c_str());
    } else {
      ::kill(entry->process, SIGKILL);
      ::waitpid(entry->process, nullptr, 0);
    }
  }
  for (auto* entry = entries.load(); entry != nullptr; entry = entry->next)  // folders, now that they are empty
    if (is_ours(*entry) && entry->process == 0) ::rmdir(entry->file.c_str());
}

void end_process(int signal) {
  remove_ephemeral();
  ::raise(signal);  // its default action, as soon as this returns
}

/// At once, and not by an exception: what undoes half-done work wants memory, too.
[[noreturn]] void end_without_memory() {
  remove_ephemeral();
  for (const std::string_view part : {std::string_view("toroid: "), out_of_memory, std::string_view("\n")})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  ::_exit(1);
}

sigset_t set_of_ending_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : ending_signals) ::sigaddset(&set, signal);
  return set;
}

Ephemeral::Entry* new_entry(const std::string& file, pid_t process) {
  auto* entry = entries.load();
  while (entry != nullptr && entry->active) entry = entry->next;
  const bool listed = entry != nullptr;
  if (!listed) entry = new Ephemeral::Entry;
  entry->owner = ::getpid();
  entry->process = process;
  entry->file = file;
  entry->active = true;
  if (!listed) {
    entry->next = entries.load();
    entries = entry;
  }
  return entry;
}

}  // namespace

Ephemeral::Ephemeral(const std::string& file) : entry_(new_entry(file, 0)) {}
Ephemeral::Ephemeral(pid_t process) : entry_(new_entry({}, process)) {}
Ephemeral::~Ephemeral() {
  entry_->active = false;
}

SignalsHeld::SignalsHeld() {
  const auto set = set_of_ending_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}
SignalsHeld::~SignalsHeld() {
  const auto set = set_of_ending_signals();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void prepare_process() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    ::open("/dev/null", O_RDWR);  // takes the lowest number that is free
    if (stream == STDOUT_FILENO) standard_output_open = false;
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_new_handler(end_without_memory);
  struct sigaction action {};
  action.sa_handler = end_process;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigfillset(&action.sa_mask);
  for (const int signal : ending_signals) {
    struct sigaction old {};
    ::sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);  // nohup has hang-ups ignored
  }
}

bool has_standard_output() {
  return standard_output_open;
}

}  // namespace toroid::core
