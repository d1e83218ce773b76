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

/// One output under construction. A file is built beside its place; what is no file (standard output, a pipe, a device)
/// is written as it goes. The text is compressed if the name ends in `.zst` or `.gz`.
class OutputFile {
 public:
  /// Throws InputError when it cannot be written; nothing is left behind then.
  /// Waits for the reader of a pipe, and says so if there is none.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool is_standard_output() const { return is_standard_output_; }
  bool is_file() const { return !target_.empty(); }

  void write(std::string_view text);
  /// Nothing more will be written; all of it is on the disk.
  void finish();
  /// A finished file comes to its place; the old one, if any, is kept until the end.
  void appear();
  /// Undoes appear().
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
  std::unique_ptr<Packer> packer_;  ///< null: the text is written as it is
};

/// The outputs of one command. Without `commit`, files are as they were before.
class OutputSet {
 public:
  OutputSet();
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  /// An output; "-" is standard output. Throws InputError when it cannot be written, so that a wrong path costs no
  /// work, and when it is a file that another output or an input (Inputs) is, by whatever path. Valid as long as the
  /// set.
  OutputFile& add(const std::string& path);
  /// A file that is written by other means: no output of this set may be it.
  void claim(const std::string& path);
  /// Throws InputError if the file with these numbers, which is to be read, is an output of a set that lives now, or
  /// what standard output goes to.
  static void refuse_input(const std::string& path, std::uint64_t device, std::uint64_t number);

  /// All files that were added appear, or, when InputError is thrown, none.
  void commit();

 private:
  /// Which file a path means, be it there or not: its number, or its name in the folder with that number.
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
