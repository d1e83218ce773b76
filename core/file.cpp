#include "core/file.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/inputs.hpp"
#include "core/units.hpp"

namespace toroid::core {
namespace {

constexpr std::size_t chunk_size = std::size_t{1} << 17U;
constexpr int max_window_log = 31;  // traces are often packed with --long

// A small file must not fill the memory, nor keep us busy for minutes, unless it is asked for.
constexpr std::uint64_t longest_line = std::uint64_t{1} << 26U;
constexpr std::uint64_t always_unpacked = std::uint64_t{1} << 30U;
constexpr std::uint64_t most_unpacked_per_byte = 1000;  // traces of MPI programs are packed to a twentieth or so

/// A zstd frame, or one that decoders skip (parallel compressors put such in front).
bool starts_zstd(std::uint32_t magic) {
  return magic == 0xFD2FB528U || (magic & 0xFFFFFFF0U) == 0x184D2A50U;
}

}  // namespace

std::uint64_t bytes_limit(const char* variable, std::uint64_t default_bytes) {
  const char* text = std::getenv(variable);
  return text == nullptr ? default_bytes : parse_whole_bytes(text, variable);
}

/// The bytes of the file after decompression, if any.
struct LineReader::Input {
  Input(const std::string& file_path) : file(file_path), path(file_path), raw(chunk_size) {
    raw_end = file.read(raw.data(), raw.size());
    std::uint32_t magic = 0;
    if (raw_end >= sizeof magic) std::memcpy(&magic, raw.data(), sizeof magic);
    if (!starts_zstd(magic)) return;
    const auto packed = file.size();
    unpack_limit = bytes_limit("TOROID_UNPACK_LIMIT",
                               std::max(always_unpacked, std::min(packed, ~std::uint64_t{0} / most_unpacked_per_byte) *
                                                             most_unpacked_per_byte));
    zstd.reset(ZSTD_createDStream());
    ZSTD_DCtx_setParameter(zstd.get(), ZSTD_d_windowLogMax, max_window_log);
  }

  /// Some of them, at least one unless there are no more.
  std::size_t read(char* out, std::size_t size) { return zstd ? read_compressed(out, size) : read_plain(out, size); }

  std::size_t read_plain(char* out, std::size_t size) {
    if (raw_begin == raw_end && !refill()) return 0;
    const auto n = std::min(size, raw_end - raw_begin);
    std::memcpy(out, raw.data() + raw_begin, n);
    raw_begin += n;
    return n;
  }

  std::size_t read_compressed(char* out, std::size_t size) {
    ZSTD_outBuffer output{out, size, 0};
    while (output.pos == 0) {
      // A frame that is not finished may still hold output in the decoder when its input is used up.
      if (raw_begin == raw_end && !refill() && !frame_open) return 0;
      ZSTD_inBuffer input{raw.data(), raw_end, raw_begin};
      const auto before = raw_begin;
      const auto result = ZSTD_decompressStream(zstd.get(), &output, &input);
      if (ZSTD_isError(result) != 0) fail_input("{}: damaged zstd data: {}", path, ZSTD_getErrorName(result));
      raw_begin = input.pos;
      frame_open = result != 0;
      if (frame_open && raw_begin == before && output.pos == 0 && raw_begin == raw_end && at_end)
        fail_input("{}: the zstd data ends before its frame is complete: the file is truncated", path);
    }
    unpacked += output.pos;
    if (unpacked > unpack_limit)
      fail_input("{}: unpacks to more than {} bytes; a higher TOROID_UNPACK_LIMIT accepts more", path, unpack_limit);
    return output.pos;
  }

  bool refill() {
    if (at_end) return false;
    raw_begin = 0;
    raw_end = file.read(raw.data(), raw.size());
    at_end = raw_end == 0;
    return !at_end;
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  InputFile file;
  const std::string& path;
  std::vector<char> raw;
  std::size_t raw_begin = 0, raw_end = 0;
  bool at_end = false, frame_open = false;
  std::uint64_t unpacked = 0, unpack_limit = 0;
  std::unique_ptr<ZSTD_DStream, Free> zstd;
};

LineReader::LineReader(std::string path) : path_(std::move(path)), buffer_(chunk_size) {
  input_ = std::make_unique<Input>(path_);
}
LineReader::~LineReader() = default;

bool LineReader::is_compressed() const {
  return input_->zstd != nullptr;
}

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

}  // namespace toroid::core
