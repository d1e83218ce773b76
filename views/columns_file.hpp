#pragma once
// Documents of columns, read back from their files.

#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"

namespace toroid::views {

/// A document of columns as Columns::document() writes it.
class ColumnsFile {
 public:
  /// Reads the file. Throws InputError where the file is none, or is damaged.
  explicit ColumnsFile(const std::string& path);
  /// Reads a document that is in memory; messages call it `name`.
  ColumnsFile(const std::string& name, std::string_view text);

  const std::string& path() const { return path_; }
  const core::Json& meta() const { return meta_; }
  /// The numbers of a column, one of the types that Columns takes. Throws InputError where the document has no such
  /// column, or one of another type.
  template <class Number>
  std::vector<Number> column(const std::string& name) const;

 private:
  /// Where the numbers of a column lie among the bytes, after all checks.
  std::string_view bytes_of(const std::string& name, std::string_view type, std::size_t size) const;

  std::string path_, bytes_;
  core::Json meta_, columns_;
};

}  // namespace toroid::views
