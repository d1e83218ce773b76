#include "views/columns.hpp"

#include <bit>

#include "core/packing/packing.hpp"

namespace toroid::views {

static_assert(std::endian::native == std::endian::little);

void Columns::begin(std::string_view name, const char* type, std::size_t count) {
  bytes_.resize((bytes_.size() + 7) / 8 * 8);  // readers look at the bytes as numbers, where they lie
  columns_[std::string(name)] = {{"type", type}, {"at", bytes_.size()}, {"count", count}};
}

std::string Columns::head() const {
  return core::json_text(core::Json{{"format", "toroid columns 1"}, {"meta", meta}, {"columns", columns_}});
}

std::string Columns::packed() const {
  return core::make_gzip_packer()->pack(bytes_, true);
}

}  // namespace toroid::views
