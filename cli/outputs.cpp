#include "cli/outputs.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace toroid::cli {

void Outputs::add(const std::string& path, const Text& text) {
  add_parts(path, [text](core::OutputFile& file) { file.write(text()); });
}

void Outputs::add_parts(const std::string& path, Write write) {
  if (path.empty()) return;
  TOROID_ASSERT(!is_written_);
  auto& file = set_.add(path);
  to_stdout_ = to_stdout_ || file.is_standard_output();
  outputs_.push_back({file, std::move(write)});
}

void Outputs::add_folder(const std::string& path, Fill fill) {
  if (!path.empty()) folders_.push_back({set_.add_folder(path), std::move(fill)});
}

core::OutputFile& Outputs::stream(const std::string& path) {
  TOROID_ASSERT(!path.empty());
  add(path, [] { return std::string(); });
  return outputs_.back().file;
}

void Outputs::add_svg(const std::string& path, const Text& text, std::string_view option) {
  const auto extension = std::filesystem::path(path).extension().string();
  if (!extension.empty() && extension != ".svg")
    core::fail_input("{} {}: found a name in {}, expected one in .svg: pictures are SVG", option, path, extension);
  add(path, text);
}

bool Outputs::is_file(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  const bool may_be = type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::regular;
  return !path.empty() && path != "-" && may_be;
}

void Outputs::write() {
  TOROID_ASSERT(!std::exchange(is_written_, true));
  // Files and folders first: what has gone through a pipe cannot be taken back when a disk is full.
  for (const auto& [folder, fill] : folders_) {
    folder.create();
    fill(folder);
    folder.finish();
  }
  folders_.clear();
  for (const bool files : {true, false})
    for (const auto& output : outputs_) {
      if (output.file.is_file() != files) continue;
      output.write(output.file);
      output.file.finish();
    }
  outputs_.clear();
  set_.commit();
}

std::unique_ptr<study::Journal> open_journal_at(const std::string& path, core::Json settings,
                                                const std::vector<study::Input>& inputs, core::Json about,
                                                study::Journal::Access access) {
  settings["inputs"] = study::hashes_of_others(inputs);
  return std::make_unique<study::Journal>(
      path, study::Journal::Head{std::move(settings), study::hashes_of(inputs), std::move(about)}, access);
}

std::unique_ptr<study::Journal> open_journal(const std::string& csv, core::Json settings,
                                             const std::vector<study::Input>& inputs, Outputs& outputs) {
  if (!Outputs::is_file(csv)) return nullptr;
  outputs.claim(csv + ".journal");
  return open_journal_at(csv + ".journal", std::move(settings), inputs);
}

core::Json inputs_json(const core::Inputs& inputs) {
  auto files = core::Json::array();
  for (const auto& file : inputs.files()) files.push_back({{"file", file.path}, {"sha256", file.sha256}});
  return files;
}

void print(std::string_view text) {
  fmt::print("{}", core::printable(text));
}

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

/// The name by which another program opens a file that this one has opened.
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
