#pragma once
// Files and folders that are written: a set of them appears as a whole or not at all.

#include <compare>
#include <memory>
#include <optional>
#include <string_view>

#include "core/process.hpp"

namespace toroid::core {

class Packer;

/// What a command writes: built beside its place, and put there when all is complete.
class Output {
 public:
  Output(const std::string& path, bool is_folder) : path_(path), is_folder_(is_folder) {}
  virtual ~Output() { remove_temporary(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Ends the output: nothing may be written after it, and all that was written is on the disk.
  virtual void finish() = 0;
  /// Puts what is finished in its place.
  virtual void appear() = 0;
  /// Undoes appear(): what was there before is there again.
  virtual void disappear() = 0;

 protected:
  void remove_temporary();
  [[noreturn]] void fail(int error) const;

  std::string path_, temporary_;  ///< the path as given; the place where it is built
  int descriptor_ = -1;           ///< descriptor of what is under construction
  bool is_folder_, is_standard_output_ = false, finished_ = false;
  std::optional<Ephemeral> ephemeral_;
};

/// One file under construction. A file is built under another name beside its place; what is no file (standard
/// output, a pipe, a device) is written at once. The text is compressed if the name ends in `.zst` or `.gz`.
class OutputFile final : public Output {
 public:
  /// Opens the output; "-" is standard output. Throws InputError when it cannot be written, and leaves nothing behind
  /// then. If `path` is a pipe without a reader, says so and waits for one.
  explicit OutputFile(const std::string& path);

  bool is_standard_output() const { return is_standard_output_; }
  bool is_file() const { return !target_.empty(); }

  void write(std::string_view text);
  /// Hands on what was written, for a reader who waits for it.
  void hand_on() { flush(false); }
  void finish() override;
  /// The file that was there, if any, is kept until this object ends, where the file system can exchange files.
  void appear() override;
  void disappear() override;

 private:
  void create();
  void flush(bool end);
  void put(std::string_view bytes);

  std::string target_;  ///< the file in the end
  std::string pending_;
  enum class Place { hidden, alone, exchanged } place_ = Place::hidden;
  std::unique_ptr<Packer> packer_;  ///< null where the text is not compressed
};

/// A new folder under construction, which a library fills with files: built under another name beside its place, and
/// removed with all that is in it if it does not appear.
class OutputFolder final : public Output {
 public:
  /// Throws InputError when there is something of this name already, or when no folder of this name can be made, and
  /// leaves nothing behind.
  explicit OutputFolder(const std::string& path);

  /// Makes the folder, empty; call it before any file is made in it.
  void create();
  /// The folder in which files are to be made.
  const std::string& place() const { return temporary_; }
  /// The folder in the end, without a slash behind it, for messages.
  const std::string& path() const { return path_; }

  void finish() override;
  void appear() override;
  void disappear() override;

 private:
  void check_is_new() const;
};

/// The outputs of one command. No file changes before `commit`.
class OutputSet {
 public:
  OutputSet();
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  /// Adds an output; "-" is standard output. Throws InputError when it cannot be written, so that a wrong path is found
  /// before the work, and when it is the same file as another output or an input (Inputs), whatever its path. The
  /// reference is valid as long as the set.
  OutputFile& add(const std::string& path);
  /// Adds a new folder, and throws InputError as add() does.
  OutputFolder& add_folder(const std::string& path);
  /// Reserves a file that is written by other means: add() refuses it as an output.
  void claim(const std::string& path);
  /// Throws InputError if a file that is to be read is an output of a set that lives now, or the file that standard
  /// output goes to. `device` and `number` (its inode) say which file it is, `path` stands in the message.
  static void refuse_input(const std::string& path, std::uint64_t device, std::uint64_t number);

  /// Makes all outputs that were added appear. Throws InputError, and then none appears.
  void commit();

 private:
  /// The identity of the file that a path means: its device and inode number, or, if it does not exist, those of its
  /// folder and its name in there.
  struct Identity {
    std::uint64_t device = 0, number = 0;
    std::string name;
    auto operator<=>(const Identity&) const = default;
  };
  static std::optional<Identity> identity(const std::string& path);
  void claim(const std::optional<Identity>& file, const std::string& path);

  class LeftOvers;

  std::vector<std::unique_ptr<Output>> all_;
  std::map<Identity, std::string> outputs_;
  std::unique_ptr<LeftOvers> left_overs_;
};

/// `text` as the whole content of the file, or to standard output when `path` is "-".
void write_text(const std::string& path, std::string_view text);

}  // namespace toroid::core
