// gzip (RFC 1952), whose members one after the other are one text, and zstd.

#define ZLIB_CONST
#include "core/packing/packing.hpp"

#include <zlib.h>
#include <zstd.h>
#include <algorithm>
#include <new>

#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

constexpr int gzip_alone = 15 + 16;                          // the largest window, and no other header than gzip's
constexpr std::size_t most_at_once = std::size_t{1} << 30U;  // zlib counts in unsigned

class GzipUnpacker final : public Unpacker {
 public:
  explicit GzipUnpacker(const std::string& path) : path_(path) {
    if (inflateInit2(&stream_, gzip_alone) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

  std::size_t unpack(Packed& packed, char* out, std::size_t size) override {
    stream_.next_out = reinterpret_cast<unsigned char*>(out);
    stream_.avail_out = static_cast<unsigned>(std::min(size, most_at_once));
    const auto room = stream_.avail_out;
    while (stream_.avail_out == room) {
      if (packed.used == packed.size && between_members_) return 0;
      stream_.next_in = reinterpret_cast<const unsigned char*>(packed.bytes) + packed.used;
      stream_.avail_in = static_cast<unsigned>(std::min(packed.size - packed.used, most_at_once));
      const auto given = stream_.avail_in;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      const auto used = given - stream_.avail_in;
      packed.used += used;
      if (result == Z_STREAM_END) {
        inflateReset(&stream_);
        between_members_ = true;
      } else if (result == Z_OK || result == Z_BUF_ERROR) {  // the latter: it can do nothing without more bytes
        if (used > 0) between_members_ = false;
        if (used > 0 || stream_.avail_out < room) continue;
        if (packed.is_last) fail_input("{}: the gzip data ends before it is complete: the file is truncated", path_);
        return 0;
      } else {
        fail_input("{}: damaged gzip data: {}", path_, stream_.msg == nullptr ? "unknown" : stream_.msg);
      }
    }
    return room - stream_.avail_out;
  }

 private:
  const std::string& path_;
  z_stream stream_ = {};
  bool between_members_ = false;
};

class GzipPacker final : public Packer {
 public:
  GzipPacker() {
    constexpr int most_memory = 9;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_alone, most_memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipPacker() override { deflateEnd(&stream_); }
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;

  std::string pack(std::string_view text, bool is_end) override {
    std::string packed;
    do {
      const auto part = text.substr(0, most_at_once);
      text.remove_prefix(part.size());
      stream_.next_in = reinterpret_cast<const unsigned char*>(part.data());
      stream_.avail_in = static_cast<unsigned>(part.size());
      do {
        stream_.next_out = reinterpret_cast<unsigned char*>(buffer_.data());
        stream_.avail_out = static_cast<unsigned>(buffer_.size());
        deflate(&stream_, is_end && text.empty() ? Z_FINISH : Z_NO_FLUSH);
        packed.append(buffer_, 0, buffer_.size() - stream_.avail_out);
      } while (stream_.avail_out == 0);
    } while (!text.empty());
    return packed;
  }

 private:
  static constexpr std::size_t buffer_size = std::size_t{1} << 16U;
  z_stream stream_ = {};
  std::string buffer_ = std::string(buffer_size, '\0');
};

constexpr int max_window_log = 31;  // traces are often packed with --long

class ZstdUnpacker final : public Unpacker {
 public:
  explicit ZstdUnpacker(const std::string& path) : path_(path), stream_(ZSTD_createDStream()) {
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, max_window_log);
  }

  std::size_t unpack(Packed& packed, char* out, std::size_t size) override {
    ZSTD_outBuffer output{out, size, 0};
    // A frame that is not finished may still hold output when all its bytes are used.
    while (output.pos == 0 && (packed.used < packed.size || frame_open_)) {
      ZSTD_inBuffer input{packed.bytes, packed.size, packed.used};
      const auto result = ZSTD_decompressStream(stream_.get(), &output, &input);
      if (ZSTD_isError(result) != 0) fail_input("{}: damaged zstd data: {}", path_, ZSTD_getErrorName(result));
      const bool stuck = input.pos == packed.used && output.pos == 0;
      packed.used = input.pos;
      frame_open_ = result != 0;
      if (!stuck || !frame_open_) continue;
      if (packed.is_last)
        fail_input("{}: the zstd data ends before its frame is complete: the file is truncated", path_);
      break;
    }
    return output.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  const std::string& path_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  bool frame_open_ = false;
};

class ZstdPacker final : public Packer {
 public:
  std::string pack(std::string_view text, bool is_end) override {
    std::string packed;
    ZSTD_inBuffer input{text.data(), text.size(), 0};
    for (std::size_t left = 1; left != 0;) {
      ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
      left = ZSTD_compressStream2(stream_.get(), &output, &input, is_end ? ZSTD_e_end : ZSTD_e_continue);
      if (!is_end) left = input.size - input.pos;
      packed.append(buffer_, 0, output.pos);
    }
    return packed;
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* stream) const { ZSTD_freeCCtx(stream); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> stream_{ZSTD_createCCtx()};
  std::string buffer_ = std::string(ZSTD_CStreamOutSize(), '\0');
};

using namespace std::string_view_literals;

/// A zstd frame, or one that decoders skip (parallel compressors put such in front).
bool starts_zstd(std::string_view begin) {
  if (begin.starts_with("\x28\xb5\x2f\xfd"sv)) return true;
  return begin.size() >= 4 && (static_cast<std::uint8_t>(begin[0]) & 0xf0U) == 0x50 &&
         begin.substr(1).starts_with("\x2a\x4d\x18"sv);
}

}  // namespace

std::unique_ptr<Packer> make_gzip_packer() {
  return std::make_unique<GzipPacker>();
}

std::unique_ptr<Unpacker> make_gzip_unpacker(const std::string& path) {
  return std::make_unique<GzipUnpacker>(path);
}

std::unique_ptr<Unpacker> make_unpacker(std::string_view begin, const std::string& path) {
  if (starts_zstd(begin)) return std::make_unique<ZstdUnpacker>(path);
  if (begin.starts_with("\x1f\x8b"sv)) return make_gzip_unpacker(path);
  return nullptr;
}

std::unique_ptr<Packer> make_packer(const std::string& path) {
  if (path.ends_with(".zst")) return std::make_unique<ZstdPacker>();
  if (path.ends_with(".gz")) return make_gzip_packer();
  for (const std::string_view end : {".xz", ".bz2"})
    if (path.ends_with(end)) fail_input("{}: {} is not written; expected a name that ends in .zst or .gz", path, end);
  return nullptr;
}

}  // namespace toroid::core
