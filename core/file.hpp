#pragma once
// Reading text files line by line: plain, gzip or zstd, told apart by their first bytes.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  /// The position in the decompressed text, in bytes from its beginning, of the next byte that will be returned.
  std::uint64_t position() const { return taken_ - (end_ - begin_); }
  bool is_compressed() const;
  const std::string& path() const { return path_; }
  std::uint64_t line() const { return line_; }  ///< the number of the line returned last, from 1

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

}  // namespace toroid::core
