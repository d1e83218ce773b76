#pragma once
// Reading files: line by line or whole, plain, gzip or zstd, told apart by their first bytes; and files that list
// others.

#include <cstring>
#include <istream>
#include <limits>
#include <memory>

#include "toroid/core/error.hpp"

namespace toroid::core {

/// The lines of a text file, plain or compressed by gzip or zstd, in constant memory, without a byte order mark. Throws
/// InputError, with the path, when the file cannot be opened, is a directory, or its compressed data is damaged or ends
/// early.
class LineReader {
 public:
  explicit LineReader(std::string path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end, valid until the next call; nothing after the last line.
  std::optional<std::string_view> next() {
    const char* text = buffer_.data() + begin_;
    const void* end = std::memchr(text, '\n', end_ - begin_);
    if (end == nullptr) return next_across_chunks();
    const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - text);
    begin_ += length + 1;
    return counted({text, length});
  }

  /// Reads the next `size` bytes, regardless of lines. Returns false if the file ends before.
  bool read(std::uint8_t* bytes, std::size_t size);

  const std::string& path() const { return path_; }
  std::uint64_t line() const { return line_; }  ///< the number of the line returned last, from 1

  /// Throws InputError, which names the file and the line that was returned last.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_input_at(path_, line_, format, std::forward<Args>(args)...);
  }
  /// The whole number from `low` to `high` that a part of the line spells; `what` says what was expected.
  template <class Number>
  Number number(std::string_view text, Number low, Number high, std::string_view what) const {
    const auto value = parse_number<Number>(text);
    if (!value || *value < low || *value > high)
      fail("found '{}', expected {}, {} to {}", excerpt(text), what, low, high);
    return *value;
  }

 private:
  struct Input;
  std::optional<std::string_view> next_across_chunks();
  bool refill();
  /// The line without the carriage return at its end.
  std::string_view counted(std::string_view text) {
    ++line_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }

  std::string path_;
  std::unique_ptr<Input> input_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t taken_ = 0;  ///< bytes of the text that have been asked for
};

/// Whether there is a regular file at `path`.
bool is_file(std::string_view path);
/// What is there instead, where is_file() says that there is none: `is a directory; expected a file` or `is no regular
/// file; expected one`, or nothing if there is nothing.
std::string_view instead_of_file(std::string_view path);
/// The same, or `no such file`.
std::string_view why_no_file(std::string_view path);

/// The number of bytes that an environment variable says (`20GiB`), or the default if the variable is not set. Throws
/// InputError if its text is no number of bytes.
std::uint64_t bytes_limit(const char* variable, std::uint64_t default_bytes);

/// The file that a top file (one path per line, line i for rank i) means by a path: the path as it is, or relative to
/// the top file's folder, or only its file name in that folder; empty if none of these exists. Tracers write paths
/// relative to where they ran, and the top file usually lies there.
std::string listed_file(const std::string& top, const std::string& path);

/// The files that a top file names, with their lines; blank lines and those that begin with # are skipped. Throws
/// InputError if one is not there: found, expected `what` or the path of a rank's file.
std::vector<std::pair<std::string, std::uint64_t>> listed_files(const std::string& top, const std::string& what);

/// Protects a trace that is named but not read: no output may be written over it, nor, if it is a top file, over a file
/// that it names.
void keep_with_listed(const std::string& path);

/// The text of a file, plain or compressed, each line of it with \n at its end. Throws InputError as LineReader does,
/// which bounds the length of lines, and on more than `most` bytes, a whole number of MiB.
std::string text_of_file(const std::string& path, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// The first line of a file that is not blank and does not start with `#`, trimmed; empty if there is none.
std::string first_content(const std::string& path);

/// The text of a stream, which goes on no list of inputs. Throws InputError on more than 256 MiB; `name` is what the
/// message calls the stream.
std::string text_of_stream(std::istream& stream, const std::string& name);

/// Throws InputError where a file that begins so is of a format that no reader of ours takes, whatever it was given
/// for: the message names the format, and says what to do. `begin` is unpacked; a few kilobytes are enough.
void refuse_foreign(const std::string& path, std::string_view begin);

}  // namespace toroid::core
