#include <zstd.h>

#include "core/error.hpp"
#include "core/packing/packing.hpp"

namespace toroid::core {
namespace {

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

}  // namespace

std::unique_ptr<Packer> make_zstd_packer() {
  return std::make_unique<ZstdPacker>();
}

std::unique_ptr<Unpacker> make_zstd_unpacker(const std::string& path) {
  return std::make_unique<ZstdUnpacker>(path);
}

}  // namespace toroid::core
