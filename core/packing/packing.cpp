#include "core/packing/packing.hpp"

#include <cstdint>

#include "core/error.hpp"

namespace toroid::core {
namespace {

using namespace std::string_view_literals;

/// A zstd frame, or one that decoders skip (parallel compressors put such in front).
bool starts_zstd(std::string_view begin) {
  if (begin.starts_with("\x28\xb5\x2f\xfd"sv)) return true;
  return begin.size() >= 4 && (static_cast<std::uint8_t>(begin[0]) & 0xf0U) == 0x50 &&
         begin.substr(1).starts_with("\x2a\x4d\x18"sv);
}

}  // namespace

std::unique_ptr<Unpacker> make_unpacker(std::string_view begin, const std::string& path) {
  if (starts_zstd(begin)) return make_zstd_unpacker(path);
  if (begin.starts_with("\x1f\x8b"sv)) return make_gzip_unpacker(path);
  return nullptr;
}

std::unique_ptr<Packer> make_packer(const std::string& path) {
  if (path.ends_with(".zst")) return make_zstd_packer();
  if (path.ends_with(".gz")) return make_gzip_packer();
  for (const std::string_view end : {".xz", ".bz2"})
    if (path.ends_with(end)) fail_input("{}: {} is not written; expected a name that ends in .zst or .gz", path, end);
  return nullptr;
}

}  // namespace toroid::core
