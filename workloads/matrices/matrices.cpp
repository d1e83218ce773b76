#include "workloads/matrices/matrices.hpp"

#include "core/entries.hpp"

namespace toroid::workloads {

// The formats, each by the function that returns its entry. The first that recognizes a file reads the file.
TOROID_ENTRIES(core::Entry<MatrixFormat>, matrix_format_entries, metis_matrix, qaplib_matrix, list_matrix,
               // last, since it takes any .csv: its reader says best what is wrong with one
               table_matrix)

const core::Registry<MatrixFormat>& matrix_formats() {
  static const core::Registry<MatrixFormat> registry("matrix format", matrix_format_entries());
  return registry;
}

const core::Entry<MatrixFormat>* matrix_format_of(const std::string& text) {
  const bool is_generator = generators().has(text.substr(0, text.find(':')));
  const auto file = text.substr(0, text.find(qap_order));
  if (is_generator || !core::is_file(file)) return nullptr;
  const auto& formats = matrix_formats().entries();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const auto& format) { return format.make.recognizes(file); });
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace toroid::workloads
