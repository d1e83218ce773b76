#pragma once
// Files that are written: a set of them appears as a whole or not at all.

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/process.hpp"

namespace toroid::core {

class Packer;

/// One output under construction. A file is built under another name beside its place; what is no file (standard
/// output, a pipe, a device) is written at once. The text is compressed if the name ends in `.zst` or `.gz`.
class OutputFile {
 public:
  /// Opens the output; "-" is standard output. Throws InputError when it cannot be written, and leaves nothing behind
  /// then. If `path` is a pipe without a reader, says so and waits for one.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool is_standard_output() const { return is_standard_output_; }
  bool is_file() const { return !target_.empty(); }

  void write(std::string_view text);
  /// Hands on what was written, for a reader who waits for it.
  void hand_on() { flush(false); }
  /// Ends the output: nothing may be written after it, and all that was written is on the disk.
  void finish();
  /// Puts a finished file in its place. The file that was there, if any, is kept until this object ends, where the file
  /// system can exchange files.
  void appear();
  /// Undoes appear(): puts the old file back.
  void disappear();

 private:
  void create();
  void remove_temporary();
  void flush(bool end);
  void put(std::string_view bytes);
  [[noreturn]] void fail(int error) const;

  std::string path_, target_, temporary_;  ///< as given; the file in the end; where it is built
  std::string pending_;
  int descriptor_ = -1;
  bool is_standard_output_ = false, finished_ = false;
  enum class Place { hidden, alone, exchanged } place_ = Place::hidden;
  std::optional<Ephemeral> ephemeral_;
  std::unique_ptr<Packer> packer_;  ///< null where the text is not compressed
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
  /// Reserves a file that is written by other means: add() refuses it as an output.
  void claim(const std::string& path);
  /// Throws InputError if a file that is to be read is an output of a set that lives now, or the file that standard
  /// output goes to. `device` and `number` (its inode) say which file it is, `path` stands in the message.
  static void refuse_input(const std::string& path, std::uint64_t device, std::uint64_t number);

  /// Makes all files that were added appear. Throws InputError, and then none appears.
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

  std::vector<std::unique_ptr<OutputFile>> files_;
  std::map<Identity, std::string> outputs_;
  std::unique_ptr<LeftOvers> left_overs_;
};

/// `text` as the whole content of the file, or to standard output when `path` is "-".
void write_text(const std::string& path, std::string_view text);

}  // namespace toroid::core
