#pragma once
// What a command reads. Whatever opens a file to read enters a list, with its hash as it was read: so no command has to
// say which files its result depends on, and none can forget one, nor write over it.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace toroid::core {

/// The SHA-256 of bytes that are added piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  /// The hash of all bytes that were added, in hexadecimal. Nothing may be added after that.
  std::string hexadecimal();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_of_text(std::string_view text);

/// A list of the files that this thread opens for reading while the list lives. Lists may be begun within others, to
/// tell what a part of the work reads: a file goes on all of them. While there is a list, no file may change between
/// two readings, no output (OutputSet) may be read, and a forked worker may read only files that its parent has read.
class Inputs {
 public:
  struct File {
    std::string path;    ///< the path by which the file was opened
    std::string sha256;  ///< the hash of its bytes as they were read, in hexadecimal
    bool operator==(const File&) const = default;
  };

  Inputs();
  ~Inputs();
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  /// The files in the order in which they were first opened. A file that was not read to its end is read now for its
  /// hash. Throws InputError if another file is in its place by now.
  std::vector<File> files() const;

  /// The list that was begun first, which is the command's; null if there is none.
  static const Inputs* of_command();
  /// Whether the file with this device and inode number is on a list, or was kept by keep().
  static bool have(std::uint64_t device, std::uint64_t number);

  /// Enters a file that a library opens for the caller in the lists.
  static void enter(const std::string& path);
  /// Protects a file that an input names but that is not read: no output may be written over it. Does nothing if the
  /// file does not exist.
  static void keep(const std::string& path);

 private:
  friend class InputFile;
  /// Enters an open file in the lists. Returns whether its hash is still to be computed.
  static bool enter(const std::string& path, int descriptor);

  std::vector<std::string> paths_;
  std::set<std::string> seen_;  ///< the paths of `paths_`, to find them fast
};

/// A regular file that is open for reading and is on the lists. Its functions throw InputError, with the path.
class InputFile {
 public:
  explicit InputFile(const std::string& path);

  /// Reads at most `size` bytes into `into` and returns how many: 0 only at the end of the file.
  std::size_t read(char* into, std::size_t size);
  std::uint64_t size() const;

 private:
  void note(std::string_view bytes);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::optional<Sha256> sum_;  ///< hash of what was read so far; none where it is not needed
  std::uint64_t read_ = 0;
};

/// The SHA-256 of the file's bytes as they are on disk, in hexadecimal as `sha256sum` prints it. The file goes on no
/// list.
std::string sha256_of_file(const std::string& path);

}  // namespace toroid::core
