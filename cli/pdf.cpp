#include "cli/pdf.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "core/error.hpp"
#include "core/process.hpp"

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

/// As a program names a file that this one has opened.
std::string path_of(const File& file) {
  return fmt::format("/dev/fd/{}", ::fileno(file.get()));
}

}  // namespace

std::string pdf_of(const std::string& svg) {
  const auto in = scratch_file(), out = scratch_file();
  if (std::fwrite(svg.data(), 1, svg.size(), in.get()) != svg.size() || std::fflush(in.get()) != 0)
    throw core::SimulationError(fmt::format("a temporary file: {}", std::strerror(errno)));
  std::map<std::string, std::string> variables;
  constexpr const char* date = "SOURCE_DATE_EPOCH";  // which the PDF bears; the user's own counts
  if (std::getenv(date) == nullptr) variables[date] = "0";
  try {
    core::run_program({"rsvg-convert", "-f", "pdf", "-o", path_of(out), path_of(in)}, variables);
  } catch (const core::InputError&) {
    core::fail_input(
        "a PDF needs the program rsvg-convert, which is not installed (Debian: librsvg2-bin); SVG needs nothing");
  }
  std::string pdf;
  std::array<char, 1 << 16> part{};
  while (const auto size = std::fread(part.data(), 1, part.size(), out.get())) pdf.append(part.data(), size);
  return pdf;
}

}  // namespace toroid::cli
