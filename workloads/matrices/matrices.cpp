#include "workloads/matrices/matrices.hpp"

#include <algorithm>
#include <filesystem>

#include "workloads/matrices/formats.hpp"

namespace toroid::workloads {

const core::Registry<MatrixFormat>& matrix_formats() {
  static const core::Registry<MatrixFormat> registry(
      "matrix format", {{"mtx", "Matrix Market, coordinate: bytes from row to column", matrix_market},
                        {"list", "CSV under the header from,to,bytes[,messages]", matrix_list},
                        // Last, since it takes any .csv: its reader says best what is wrong with one.
                        {"table", "CSV: p lines of p numbers, bytes from row to column", matrix_table}});
  return registry;
}

const core::Entry<MatrixFormat>* matrix_format_of(const std::string& text) {
  std::error_code ignored;
  const bool is_generator = generators().has(text.substr(0, text.find(':')));
  if (is_generator || !std::filesystem::is_regular_file(text, ignored)) return nullptr;
  const auto& formats = matrix_formats().entries();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const auto& format) { return format.make.recognizes(text); });
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace toroid::workloads
