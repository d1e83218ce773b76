#pragma once
// What a command reads. Whatever opens a file to read enters a list, with its hash as it was read: so no command has to
// say which files its result depends on, and none can forget one, nor write over it.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/sha256.hpp"

namespace toroid::core {

/// The files that this process opens to read as long as it lives; for one thread. Lists may be begun within others, to
/// tell what a part of the work reads: a file goes on all of them. While there is a list, no file may change between
/// two readings, nor be read that is an output (OutputSet), and a forked worker reads none that its parent has not
/// read.
class Inputs {
 public:
  struct File {
    std::string path;    ///< as it was opened
    std::string sha256;  ///< of its bytes as they were read, in hexadecimal
    bool operator==(const File&) const = default;
  };

  Inputs();
  ~Inputs();
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  /// In the order in which they were opened first. One that was not read to its end is read for its hash now, and
  /// InputError thrown if it is another one by now.
  std::vector<File> files() const;

  /// The list that was begun first, that of the command; null if there is none.
  static const Inputs* of_command();
  /// Whether the file with these numbers is on a list, or was kept.
  static bool have(std::uint64_t device, std::uint64_t number);

  /// For those that let a library open a file: it goes on the lists.
  static void enter(const std::string& path);
  /// A file that is not read, but that what is read names: no output may be it. Nothing if there is no such file.
  static void keep(const std::string& path);

 private:
  friend class InputFile;
  /// Whether nobody knows the hash of the file yet, which is open.
  static bool enter(const std::string& path, int descriptor);

  std::vector<std::string> paths_;
  std::set<std::string> seen_;  ///< the same
};

/// A regular file that is open to be read, and is on the lists. Throws InputError, with the path.
class InputFile {
 public:
  explicit InputFile(const std::string& path);

  /// The next bytes, at least one unless there are no more.
  std::size_t read(char* into, std::size_t size);
  std::uint64_t size() const;

 private:
  void note(std::string_view bytes);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::optional<Sha256> sum_;  ///< of what was read so far, if anybody wants to know
  std::uint64_t read_ = 0;
};

/// Of the file's bytes as they are on disk: what `sha256sum` prints. The file goes on no list.
std::string sha256_of_file(const std::string& path);

}  // namespace toroid::core
