#include <zstd.h>

#include "core/error.hpp"
#include "core/unpacking/unpacker.hpp"

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

}  // namespace

std::unique_ptr<Unpacker> make_zstd_unpacker(const std::string& path) {
  return std::make_unique<ZstdUnpacker>(path);
}

}  // namespace toroid::core
