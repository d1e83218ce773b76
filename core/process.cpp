#include "core/process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
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
#include <filesystem>
#include <new>

#include "toroid/core/error.hpp"

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

/// The folders where the system looks for libraries of the program or library that this function is in, but for those
/// of ldconfig.
std::vector<std::filesystem::path> library_folders() {
  Dl_info ours{};
  void* map = nullptr;  // which is what dlopen() returns
  Dl_serinfo size{};
  if (::dladdr1(reinterpret_cast<void*>(&library_folders), &ours, &map, RTLD_DL_LINKMAP) == 0 ||
      ::dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0)
    return {};
  std::vector<std::max_align_t> room(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* found = reinterpret_cast<Dl_serinfo*>(room.data());
  *found = size;
  if (::dlinfo(map, RTLD_DI_SERINFO, found) != 0) return {};
  std::vector<std::filesystem::path> folders;
  for (unsigned i = 0; i < found->dls_cnt; ++i) folders.emplace_back(found->dls_serpath[i].dls_name);
  return folders;
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

void run_program(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables) {
  const Awaited awaited;
  const int status = end_of(start(words, variables, awaited.before()));
  if (WIFSIGNALED(status))
    throw SimulationError(fmt::format("{} was ended by signal {} ({})", excerpt(words[0]), WTERMSIG(status),
                                      ::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    throw SimulationError(fmt::format("{} ended with exit code {}", excerpt(words[0]), WEXITSTATUS(status)));
}

void* open_library(const std::string& name, int flags, const std::string& what) {
  std::string path = name;
  std::error_code ignored;
  for (const auto& folder : library_folders()) {
    if (folder.is_relative()) path = "/" + name;  // by its name alone it would be looked for there
    if (folder.is_relative() || !std::filesystem::exists(folder / name, ignored)) continue;
    path = folder / name;
    break;
  }
  void* library = ::dlopen(path.c_str(), flags);
  if (library == nullptr) fail_input("{}{} cannot be loaded: {}", what, name, ::dlerror());
  return library;
}

std::string path_of_library(void* library) {
  const link_map* map = nullptr;
  return ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? std::filesystem::absolute(map->l_name).string() : "";
}

}  // namespace toroid::core
