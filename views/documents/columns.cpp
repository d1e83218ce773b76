#include "views/documents/columns.hpp"

#include <array>
#include <bit>

#include "core/blame.hpp"
#include "core/file.hpp"
#include "core/inputs.hpp"
#include "core/packing/packing.hpp"

namespace toroid::views {

static_assert(std::endian::native == std::endian::little);

void Columns::begin(std::string_view name, const char* type, std::size_t count) {
  TOROID_ASSERT(!columns_.contains(name));     // a name stands for one column
  bytes_.resize((bytes_.size() + 7) / 8 * 8);  // readers look at the bytes as numbers, where they lie
  columns_[std::string(name)] = {{"type", type}, {"at", bytes_.size()}, {"count", count}};
}

std::string Columns::head() const {
  return core::json_text(core::Json{{"format", "toroid columns 1"}, {"meta", meta}, {"columns", columns_}});
}

std::string Columns::packed() const {
  return core::make_gzip_packer()->pack(bytes_, true);
}

namespace {

constexpr std::string_view document_of_columns = "a document of columns, as --columns writes it";

std::string content_of(const std::string& path) {
  // The first line, which is as long as a line may be at most, tells whether the rest is worth reading.
  if (!core::LineReader(path).next().value_or("").starts_with("{\"format\":\"toroid columns 1\""))
    core::fail_input("{}: expected {}", path, document_of_columns);
  core::InputFile file(path);
  std::string text;
  std::array<char, 1 << 16> part{};
  while (const auto size = file.read(part.data(), part.size())) text.append(part.data(), size);
  return text;
}

std::string unpacked(const std::string& path, std::string_view packed) {
  const auto unpacker = core::make_gzip_unpacker(path);
  core::Packed rest{packed.data(), packed.size(), 0, true};
  std::string text;
  std::array<char, 1 << 16> part{};
  while (const auto size = unpacker->unpack(rest, part.data(), part.size())) text.append(part.data(), size);
  return text;
}

}  // namespace

ColumnsFile::ColumnsFile(const std::string& path) : ColumnsFile(path, content_of(path)) {}

ColumnsFile::ColumnsFile(const std::string& path, std::string_view text) : path_(path) {
  const auto end = text.find('\n');
  auto head = core::in_context(path, [&] {
    return core::read_document(document_of_columns, [&] { return core::parse_json(text.substr(0, end)); });
  });
  if (end == std::string::npos || !head.is_object() || head.value("format", core::Json()) != "toroid columns 1" ||
      !head.contains("meta") || !head.contains("columns"))
    core::fail_input("{}: expected {}", path, document_of_columns);
  meta_ = std::move(head["meta"]);
  columns_ = std::move(head["columns"]);
  bytes_ = unpacked(path, text.substr(end + 1));
}

std::string_view ColumnsFile::bytes_of(const std::string& name, std::string_view type, std::size_t size) const {
  const auto column = columns_.is_object() ? columns_.value(name, core::Json()) : core::Json();
  const auto number = [&](const char* key) {
    const auto value = column.is_object() ? column.value(key, core::Json()) : core::Json();
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : ~std::uint64_t{0};
  };
  if (!column.is_object() || column.value("type", core::Json()) != type)
    core::fail_input("{}: found no column '{}' of type {}, expected the document of a run", path_, name, type);
  const auto at = number("at"), count = number("count");
  if (at > bytes_.size() || count > (bytes_.size() - at) / size)
    core::fail_input("{}: column '{}' ends after the {} bytes that the document has", path_, name, bytes_.size());
  return std::string_view(bytes_).substr(at, count * size);
}

template <class Number>
std::vector<Number> ColumnsFile::column(const std::string& name) const {
  const auto bytes = bytes_of(name, column_type<Number>, sizeof(Number));
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

#define COLUMN_OF(Number) template std::vector<Number> ColumnsFile::column(const std::string&) const;
COLUMN_OF(u1)
COLUMN_OF(u2)
COLUMN_OF(u4)
COLUMN_OF(i4)
COLUMN_OF(f4)
COLUMN_OF(f8)
#undef COLUMN_OF

}  // namespace toroid::views
