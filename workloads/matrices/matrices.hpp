#pragma once
// Communication matrices in files, for programs of which there is no trace. One file per format; registered in
// matrices.cpp.

#include <string>

#include "core/registry.hpp"
#include "workloads/summary.hpp"

namespace toroid::workloads {

struct MatrixFormat {
  /// Whether the file looks like one of this format, by its name or its first line.
  bool (*recognizes)(const std::string& path);
  /// Reads a matrix. Throws InputError, with file and line, on anything that is not understood.
  CommunicationMatrix (*read)(const std::string& path);
  /// Writes a matrix to `out` part by part, as the text of a dense format is far larger than the matrix.
  void (*write)(const CommunicationMatrix& matrix, const TextSink& out);
  bool is_dense =
      false;  ///< whether it has a number for each pair of ranks, also for those that send each other nothing
  std::string text(const CommunicationMatrix& matrix) const {
    std::string all;
    write(matrix, [&](std::string_view part) { all += part; });
    return all;
  }
};

const core::Registry<MatrixFormat>& matrix_formats();

/// The format of the matrix that a TRACE argument names; null when it names a generator, or no file that looks like a
/// matrix.
const core::Entry<MatrixFormat>* matrix_format_of(const std::string& text);

}  // namespace toroid::workloads
