// gzip (RFC 1952): members one after the other, which are one text.

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <new>

#include "core/error.hpp"
#include "core/packing/packing.hpp"

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

}  // namespace

std::unique_ptr<Packer> make_gzip_packer() {
  return std::make_unique<GzipPacker>();
}

std::unique_ptr<Unpacker> make_gzip_unpacker(const std::string& path) {
  return std::make_unique<GzipUnpacker>(path);
}

}  // namespace toroid::core
