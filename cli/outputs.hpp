#pragma once
// The files that a command writes when its work is done, pictures as PDF, and the inputs that its manifest records.

#include <functional>

#include "core/output.hpp"
#include "study/tasks/journal.hpp"

namespace toroid::cli {

/// The files and folders that a command writes when it is done: all of them, or none.
class Outputs {
 public:
  using Text = std::function<std::string()>;
  using Write = std::function<void(core::OutputFile&)>;
  using Fill = std::function<void(const core::OutputFolder&)>;

  /// Adds a file; does nothing if `path` is empty; "-" is standard output. Throws InputError at once when the file
  /// cannot be written, or is another output or an input, so that a wrong path is found before the work.
  void add(const std::string& path, const Text& text);
  /// Adds a file as add() does, but one that is written part by part.
  void add_parts(const std::string& path, Write write);
  /// Adds a new folder, which `fill` fills with files. Does nothing if `path` is empty; throws InputError as add()
  /// does.
  void add_folder(const std::string& path, Fill fill);
  /// Adds a file that is written as the work goes on. Throws InputError as add() does.
  core::OutputFile& stream(const std::string& path);
  /// Reserves a file that is written by other means, see core::OutputSet.
  void claim(const std::string& path) { set_.claim(path); }
  /// Adds a picture as add() does; its path must be that of an SVG file.
  void add_svg(const std::string& path, const Text& text, std::string_view option = "--svg");
  /// Whether any output is standard output, also after write().
  bool to_stdout() const { return to_stdout_; }
  /// Whether an output is a file, or will be: neither empty, standard output, a pipe nor a device.
  static bool is_file(const std::string& path);
  /// Writes all outputs. Call it once.
  void write();

 private:
  struct Output {
    core::OutputFile& file;
    Write write;
  };
  struct Folder {
    core::OutputFolder& folder;
    Fill fill;
  };
  core::OutputSet set_;
  std::vector<Output> outputs_;
  std::vector<Folder> folders_;
  bool to_stdout_ = false, is_written_ = false;
};

/// The journal at `path` of a study with these settings; `about` are more fields of its head.
std::unique_ptr<study::Journal> open_journal_at(const std::string& path, core::Json settings,
                                                const std::vector<study::Input>& inputs,
                                                core::Json about = core::Json::object(),
                                                study::Journal::Access access = study::Journal::Access::add);
/// The journal beside the table `csv`; null if the table is no file, as only a study that writes one can go on later.
std::unique_ptr<study::Journal> open_journal(const std::string& csv, core::Json settings,
                                             const std::vector<study::Input>& inputs, Outputs& outputs);

/// Files that were read, as JSON: `[{"file": ..., "sha256": ...}, ...]`; all that the command has read unless said.
core::Json inputs_json(const core::Inputs& inputs = *core::Inputs::of_command());

/// Prints a text whose names may come from files: characters that control terminals are shown as escapes.
void print(std::string_view text);

/// The SVG picture as a PDF of the same size, by rsvg-convert. The same picture gives the same bytes. Throws InputError
/// where that program is not installed, SimulationError where it fails.
std::string pdf_of(const std::string& svg);

}  // namespace toroid::cli
