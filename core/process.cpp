#include "core/process.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "core/error.hpp"

namespace toroid::core {

struct Ephemeral::Entry {
  std::atomic<bool> active{true};
  pid_t owner = 0;  ///< a forked worker inherits the list, but nothing in it is its own
  pid_t process = 0;
  std::string path;
  Content content = Content::nothing;
  Entry* next = nullptr;
};

namespace {

constexpr std::array ending_signals{SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};
bool standard_output_open = true;

// The handler may come at any time: entries stay in the list for good, and are used again.
std::atomic<Ephemeral::Entry*> entries{nullptr};

// Of the functions that look into folders only getdents64 may be called in a handler of signals.

struct FolderEntry {  // as the kernel writes it
  std::uint64_t number;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

void remove_tree(int parent, const char* name, int depth = 0) {
  constexpr int most_depth = 16;
  if (::unlinkat(parent, name, 0) == 0 || depth > most_depth) return;
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(FolderEntry) std::array<char, 4096> entries_read;
  for (;;) {
    const auto size = ::syscall(SYS_getdents64, folder, entries_read.data(), entries_read.size());
    if (size <= 0) break;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const FolderEntry*>(entries_read.data() + at);
      const char* inside = entries_read.data() + at + offsetof(FolderEntry, name);
      const bool is_link_up = inside[0] == '.' && (inside[1] == 0 || (inside[1] == '.' && inside[2] == 0));
      if (!is_link_up) remove_tree(folder, inside, depth + 1);
      at += entry->length;
    }
  }
  ::close(folder);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

void remove_ephemeral() {
  const pid_t self = ::getpid();
  const auto is_ours = [&](const Ephemeral::Entry& entry) { return entry.active && entry.owner == self; };
  for (auto* entry = entries.load(); entry != nullptr; entry = entry->next) {
    if (!is_ours(*entry)) continue;
    if (entry->process == 0 && entry->content == Ephemeral::Content::everything) {
      remove_tree(AT_FDCWD, entry->path.c_str());
    } else if (entry->process == 0) {
      ::unlink(entry->path.c_str());
    } else {
      ::kill(entry->process, SIGKILL);
      ::waitpid(entry->process, nullptr, 0);
    }
  }
  for (auto* entry = entries.load(); entry != nullptr; entry = entry->next)  // folders, now that they are empty
    if (is_ours(*entry) && entry->process == 0) ::rmdir(entry->path.c_str());
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

Ephemeral::Entry* new_entry(const std::string& path, Ephemeral::Content content, pid_t process) {
  auto* entry = entries.load();
  while (entry != nullptr && entry->active) entry = entry->next;
  const bool listed = entry != nullptr;
  if (!listed) entry = new Ephemeral::Entry;
  entry->owner = ::getpid();
  entry->process = process;
  entry->path = path;
  entry->content = content;
  entry->active = true;
  if (!listed) {
    entry->next = entries.load();
    entries = entry;
  }
  return entry;
}

}  // namespace

Ephemeral::Ephemeral(const std::string& path, Content content) : entry_(new_entry(path, content, 0)) {}
Ephemeral::Ephemeral(pid_t process) : entry_(new_entry({}, Content::nothing, process)) {}
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

void keep_standard_output() {
  std::fflush(stdout);
  const int kept = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  std::FILE* stream = kept < 0 ? nullptr : ::fdopen(kept, "w");
  if (stream == nullptr) fail_input("standard output cannot be written: {}", std::strerror(errno));
  stdout = stream;  // a variable in glibc
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

}  // namespace toroid::core
