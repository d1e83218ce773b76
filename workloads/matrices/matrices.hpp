#pragma once
// Communication matrices in files, for programs of which there is no trace. One file per format; registered in
// matrices.cpp.

#include "toroid/workloads/summary.hpp"

namespace toroid::workloads {

struct MatrixFormat {
  /// Whether the file looks like one of this format, by its name or its first line.
  bool (*recognizes)(const std::string& path);
  /// Reads the matrix of a TRACE argument, which is a path, for QAPLIB with the order behind it. Throws InputError,
  /// with file and line, on anything that is not understood.
  CommunicationMatrix (*read)(const std::string& text);
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

/// What stands between the name of a problem of QAPLIB and the order of its matrices.
constexpr std::string_view qap_order = ":order=";

/// The format of the matrix that a TRACE argument names; null when it names a generator, or no file that looks like a
/// matrix. The argument is what the format reads.
const core::Entry<MatrixFormat>* matrix_format_of(const std::string& text);

}  // namespace toroid::workloads
