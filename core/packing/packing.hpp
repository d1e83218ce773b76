#pragma once
// Compressed files: a file for each compression that is read and written.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace toroid::core {

/// Packed bytes that have been read and are still to be unpacked.
struct Packed {
  const char* bytes = nullptr;
  std::size_t size = 0, used = 0;
  bool is_last = false;  ///< the file has no more
};

/// Unpacks a file from its beginning to its end. Errors are InputErrors with the path.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  /// Takes some of the bytes that are packed, puts at most `size` unpacked ones into `out`, and returns how many. 0
  /// says that all bytes are used; after the last ones, that there is nothing more. A file that ends too early is an
  /// error.
  virtual std::size_t unpack(Packed& packed, char* out, std::size_t size) = 0;
};

std::unique_ptr<Unpacker> make_zstd_unpacker(const std::string& path);
std::unique_ptr<Unpacker> make_gzip_unpacker(const std::string& path);

/// For a file that begins so; null if it is not compressed. Throws InputError at a compression that is known but not
/// read.
std::unique_ptr<Unpacker> make_unpacker(std::string_view begin, const std::string& path);

/// Packs a file from its beginning to its end.
class Packer {
 public:
  virtual ~Packer() = default;
  /// `text` comes next, and nothing after it if this is the end. Returns the packed bytes that are ready.
  virtual std::string pack(std::string_view text, bool is_end) = 0;
};

std::unique_ptr<Packer> make_zstd_packer();
std::unique_ptr<Packer> make_gzip_packer();

/// For a file of this name: `.zst` is zstd, `.gz` is gzip; null if it is to be plain. Throws InputError where the name
/// is that of a compression that is known but not written.
std::unique_ptr<Packer> make_packer(const std::string& path);

}  // namespace toroid::core
