#include "workloads/matrices/matrices.hpp"

// The formats, a line each: the function that returns the entry. The first that recognizes a file reads it.
// clang-format off
#define MATRIX_FORMATS(line) \
  line(market_matrix)        \
  line(metis_matrix)         \
  line(scotch_matrix)        \
  line(qaplib_matrix)        \
  line(list_matrix)          \
  line(table_matrix) /* last, since it takes any .csv: its reader says best what is wrong with one */
// clang-format on

namespace toroid::workloads {

#define DECLARE(entry) core::Entry<MatrixFormat> entry();
MATRIX_FORMATS(DECLARE)
#undef DECLARE

const core::Registry<MatrixFormat>& matrix_formats() {
#define CALL(entry) entry(),
  static const core::Registry<MatrixFormat> registry("matrix format", {MATRIX_FORMATS(CALL)});
#undef CALL
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
