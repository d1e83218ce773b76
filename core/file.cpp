#include "core/file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/inputs.hpp"
#include "core/packing/packing.hpp"
#include "core/units.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // of UTF-8, which some editors and Excel write

constexpr std::size_t chunk_size = std::size_t{1} << 17U;

// A small file must not fill the memory, nor keep us busy for minutes, unless it is asked for.
constexpr std::uint64_t longest_line = std::uint64_t{1} << 26U;
constexpr std::uint64_t always_unpacked = std::uint64_t{1} << 30U;
constexpr std::uint64_t most_unpacked_per_byte = 1000;  // traces of MPI programs are packed to a twentieth or so

void check_size(const std::string& name, std::size_t size, std::uint64_t most) {
  if (size > most) fail_input("{}: found more than {} MiB, expected a smaller file", name, most >> 20U);
}

}  // namespace

bool is_file(std::string_view path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string_view instead_of_file(std::string_view path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return {};
  return std::filesystem::is_directory(status) ? "is a directory; expected a file" : "is no regular file; expected one";
}

std::string_view why_no_file(std::string_view path) {
  const auto instead = instead_of_file(path);
  return instead.empty() ? "no such file" : instead;
}

std::uint64_t bytes_limit(const char* variable, std::uint64_t default_bytes) {
  const char* text = std::getenv(variable);
  return text == nullptr ? default_bytes : parse_whole_bytes(text, variable);
}

/// The bytes of the file after decompression, if any.
struct LineReader::Input {
  Input(const std::string& file_path) : file(file_path), path(file_path), raw(chunk_size) {
    refill();
    unpacker = make_unpacker({raw.data(), packed.size}, path);
    const auto most = std::min(file.size(), ~std::uint64_t{0} / most_unpacked_per_byte) * most_unpacked_per_byte;
    unpack_limit = bytes_limit("TOROID_UNPACK_LIMIT", std::max(always_unpacked, most));
  }

  /// Some of them, at least one unless there are no more.
  std::size_t read(char* out, std::size_t size) {
    for (;;) {
      const auto got = unpacker ? unpack(out, size) : take(out, size);
      if (got > 0 || packed.is_last) return got;
      refill();
    }
  }

  std::size_t take(char* out, std::size_t size) {
    const auto n = std::min(size, packed.size - packed.used);
    std::memcpy(out, packed.bytes + packed.used, n);
    packed.used += n;
    return n;
  }

  std::size_t unpack(char* out, std::size_t size) {
    const auto got = unpacker->unpack(packed, out, size);
    unpacked += got;
    if (unpacked > unpack_limit)
      fail_input("{}: unpacks to more than {} bytes; a higher TOROID_UNPACK_LIMIT accepts more", path, unpack_limit);
    return got;
  }

  /// All bytes before are used.
  void refill() {
    const auto got = file.read(raw.data(), raw.size());
    packed = {raw.data(), got, 0, got == 0};
  }

  InputFile file;
  const std::string& path;
  std::vector<char> raw;
  Packed packed;
  std::uint64_t unpacked = 0, unpack_limit = 0;
  std::unique_ptr<Unpacker> unpacker;  ///< null: the file is plain
};

LineReader::LineReader(std::string path) : path_(std::move(path)), buffer_(chunk_size) {
  input_ = std::make_unique<Input>(path_);
}
LineReader::~LineReader() = default;

/// Moves the unread rest to the front of the buffer, which grows while one line fills it all, and reads more behind it.
bool LineReader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    if (const auto longest = bytes_limit("TOROID_LINE_LIMIT", longest_line); end_ > longest)
      fail_input_at(path_, line_ + 1, "the line is longer than {} bytes; a higher TOROID_LINE_LIMIT accepts it",
                    longest);
    buffer_.resize(2 * buffer_.size());
  }
  const auto got = input_->read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  if (const std::string_view text(buffer_.data(), end_); taken_ == 0) {
    refuse_foreign(path_, text);
    if (text.starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
  }
  taken_ += got;
  return got > 0;
}

/// The next line where the buffer does not hold its end.
std::optional<std::string_view> LineReader::next_across_chunks() {
  for (;;) {
    const auto searched = end_ - begin_;
    const bool more = refill();
    const char* text = buffer_.data() + begin_;
    const void* newline = std::memchr(text + searched, '\n', end_ - begin_ - searched);
    if (newline == nullptr && more) continue;
    if (begin_ == end_) return std::nullopt;
    const auto length =
        newline == nullptr ? end_ - begin_ : static_cast<std::size_t>(static_cast<const char*>(newline) - text);
    begin_ += length + (newline == nullptr ? 0 : 1);
    return counted({text, length});
  }
}

bool LineReader::read(std::uint8_t* bytes, std::size_t size) {
  auto* at = reinterpret_cast<char*>(bytes);
  const auto held = std::min(size, end_ - begin_);
  std::memcpy(at, buffer_.data() + begin_, held);
  begin_ += held;
  for (std::size_t done = held; done < size;) {
    const auto got = input_->read(at + done, size - done);
    if (got == 0) return false;
    done += got;
    taken_ += got;
  }
  return true;
}

namespace fs = std::filesystem;

std::string listed_file(const std::string& top, const std::string& path) {
  const auto folder = fs::path(top).parent_path();
  std::error_code ignored;
  for (const auto& candidate : {fs::path(path), folder / path, folder / fs::path(path).filename()})
    if (fs::is_regular_file(candidate, ignored)) return candidate.string();
  return {};
}

std::vector<std::pair<std::string, std::uint64_t>> listed_files(const std::string& top, const std::string& what) {
  std::vector<std::pair<std::string, std::uint64_t>> files;
  LineReader reader(top);
  while (const auto text = reader.next()) {
    const std::string path(trim(*text));
    if (path.empty() || path[0] == '#') continue;
    files.emplace_back(listed_file(top, path), reader.line());
    if (files.back().first.empty())
      fail_input_at(top, reader.line(), "found '{}', expected {} or the path of a rank's file: no such file",
                    excerpt(path), what);
  }
  return files;
}

void keep_with_listed(const std::string& path) {
  constexpr std::size_t longest = 4'096;  // path
  Inputs::keep(path);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return;
  // Not by a LineReader: what is in the file does not matter, but for this, and it may be a large one.
  std::ifstream lines(path);
  for (std::array<char, longest> text{}; lines.getline(text.data(), longest);) {
    std::string_view read(text.data());
    if (read.starts_with(byte_order_mark)) read.remove_prefix(byte_order_mark.size());
    const std::string line(trim(read));
    if (line.empty() || line[0] == '#') continue;
    const auto file = listed_file(path, line);
    if (file.empty()) return;
    Inputs::keep(file);
  }
}

std::string text_of_file(const std::string& path, std::uint64_t most) {
  LineReader lines(path);
  std::string text;
  while (const auto line = lines.next()) {
    text.append(*line).push_back('\n');
    check_size(path, text.size(), most);
  }
  return text;
}

std::string first_content(const std::string& path) {
  LineReader lines(path);
  while (const auto line = lines.next()) {
    const auto text = trim(*line);
    if (!text.empty() && !text.starts_with('#')) return std::string(text);
  }
  return {};
}

std::string text_of_stream(std::istream& stream, const std::string& name) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20U;
  std::string text;
  for (std::array<char, 1 << 16> part{}; stream.read(part.data(), part.size()), stream.gcount() > 0;) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    check_size(name, text.size(), most);
  }
  return text;
}

}  // namespace toroid::core
