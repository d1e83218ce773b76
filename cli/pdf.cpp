#include "cli/pdf.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/error.hpp"

namespace toroid::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// A file without a name.
File scratch_file() {
  File file(std::tmpfile());
  if (file == nullptr) throw core::SimulationError(fmt::format("a temporary file: {}", std::strerror(errno)));
  return file;
}

class Redirections {
 public:
  Redirections(std::FILE* in, std::FILE* out) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, ::fileno(in), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, ::fileno(out), STDOUT_FILENO);
  }
  ~Redirections() { ::posix_spawn_file_actions_destroy(&actions_); }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

std::string pdf_of(const std::string& svg) {
  std::array<char, 16> program{"rsvg-convert"};
  std::array<char, 3> option{"-f"};
  std::array<char, 4> format{"pdf"};
  std::array<char*, 4> arguments{program.data(), option.data(), format.data(), nullptr};
  const auto in = scratch_file(), out = scratch_file();
  if (std::fwrite(svg.data(), 1, svg.size(), in.get()) != svg.size() || std::fflush(in.get()) != 0)
    throw core::SimulationError(fmt::format("a temporary file: {}", std::strerror(errno)));
  std::rewind(in.get());
  ::setenv("SOURCE_DATE_EPOCH", "0", 0);  // the date that the PDF bears; the user's own counts
  const Redirections redirections(in.get(), out.get());
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, program.data(), redirections.get(), nullptr, arguments.data(), ::environ);
  if (error == ENOENT)
    core::fail_input("a PDF needs the program {}, which is not installed (Debian: librsvg2-bin); SVG needs nothing",
                     program.data());
  if (error != 0) throw core::SimulationError(fmt::format("{}: {}", program.data(), std::strerror(error)));
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0) throw core::SimulationError(fmt::format("{} has failed on a picture", program.data()));
  std::rewind(out.get());
  std::string pdf;
  std::array<char, 1 << 16> part{};
  while (const auto size = std::fread(part.data(), 1, part.size(), out.get())) pdf.append(part.data(), size);
  return pdf;
}

}  // namespace toroid::cli
