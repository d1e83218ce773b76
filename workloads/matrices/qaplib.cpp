// Quadratic assignment problems as in QAPLIB (R. Burkard, S. Karisch, F. Rendl, QAPLIB, J. Global Optimization 10,
// 1997): n, and two matrices of n x n numbers between white space. The first is who sends how much to whom; the other,
// distances, is not about the program. Which of them comes first differs from file to file of the archive.

#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {
namespace {

/// The order that stands behind the name of a file; nothing if none does.
std::optional<std::size_t> order_of(const std::string& text) {
  const auto at = text.find(qap_order);
  if (at == std::string::npos) return std::nullopt;
  const auto order = text.substr(at + qap_order.size());
  if (order != "flows-first" && order != "distances-first")
    core::fail_input("{}: found '{}', expected flows-first or distances-first", text.substr(0, at), order);
  return order == "flows-first" ? 0 : 1;
}

/// Which of the two matrices is the traffic where nobody says: the other one is all 0, as we write it.
std::size_t traffic_of(const std::array<CommunicationMatrix, 2>& both, const std::string& path) {
  if (both[1].total_bytes() == 0) return 0;
  if (both[0].total_bytes() == 0) return 1;
  core::fail_input(
      "{0}: found two matrices that may both be the traffic, expected {0}{1}flows-first or {0}{1}distances-first: "
      "files "
      "of QAPLIB differ",
      path, qap_order);
}

CommunicationMatrix read_qaplib(const std::string& text) {
  const auto order = order_of(text);
  const auto path = text.substr(0, text.find(qap_order));
  MatrixReader reader(path);
  std::int64_t ranks = 0, count = 0;  // numbers after the first
  std::array<CommunicationMatrix, 2> both;
  while (const auto word = reader.next_word()) {
    if (ranks == 0) {
      ranks = reader.index(*word, 1, most_matrix_ranks, "a number of ranks");
      reader.widen(ranks);
      continue;
    }
    const auto value = reader.weight(*word);
    if (count == 2 * ranks * ranks)
      reader.fail("found '{}' after two matrices, expected the end", core::excerpt(*word));
    const auto at = count % (ranks * ranks);
    if (value > 0) reader.add(at / ranks, at % ranks, value);
    if (++count % (ranks * ranks) != 0) continue;
    both[count == ranks * ranks ? 0 : 1] = reader.finish();
    reader.widen(ranks);
  }
  if (ranks == 0) core::fail_input("{}: the problem is empty; expected n and two matrices", path);
  if (count != 2 * ranks * ranks)
    core::fail_input("{}: found {} numbers, expected two matrices of {}: the file is truncated", path, count,
                     ranks * ranks);
  return std::move(both[order ? *order : traffic_of(both, path)]);
}

/// There are no distances: they are 0, to be replaced by those of a machine.
void write_qaplib(const CommunicationMatrix& matrix, const TextSink& out) {
  const auto ranks = matrix.rows.size();
  out(fmt::format("{}\n\n", ranks));
  write_matrix_csv(matrix, false, [&](std::string_view line) {
    std::string flows(line);
    std::replace(flows.begin(), flows.end(), ',', ' ');
    out(flows);
  });
  out("\n");
  std::string zeros;
  for (std::size_t column = 0; column < ranks; ++column) zeros += column + 1 < ranks ? "0 " : "0\n";
  for (std::size_t row = 0; row < ranks; ++row) out(zeros);
}

}  // namespace

core::Entry<MatrixFormat> qaplib_matrix() {
  return {"qaplib",
          "problem of QAPLIB, known by the name .dat: n, the bytes from row to column, and distances, which are 0; a "
          "file that "
          "has distances first is FILE.dat:order=distances-first",
          MatrixFormat{[](const std::string& path) { return has_extension(path, "dat"); }, read_qaplib, write_qaplib,
                       true}};
}

}  // namespace toroid::workloads
