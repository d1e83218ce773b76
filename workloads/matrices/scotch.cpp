// Graphs of Scotch, version 0 (F. Pellegrini, Scotch user's guide, "Graph files"): numbers between white space. 0, then
// VERTICES ARCS, then FIRST FLAGS, then for each vertex [LABEL] [LOAD] DEGREE and for each arc [LOAD] END.

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "workloads/matrices/builder.hpp"
#include "workloads/matrices/matrices.hpp"
#include "workloads/matrices/undirected.hpp"

namespace toroid::workloads {
namespace {

bool is_scotch(const std::string& path) {
  return has_extension(path, "grf");
}

class ScotchReader {
 public:
  explicit ScotchReader(const std::string& path) : path_(path), builder_(path), lines_(path) {}

  CommunicationMatrix read() {
    number(0, 0, "the version");
    const auto vertices = number(1, most_matrix_ranks, "a number of vertices");
    const auto arcs = number(0, std::int64_t{1} << 41U, "a number of arcs");
    const auto first = number(0, 1, "the first number");
    const auto flags = number(0, 111, "flags");
    if (flags / 100 > 1 || flags / 10 % 10 > 1 || flags % 10 > 1)
      core::fail_input_at(path_, lines_.line(), "found the flags {:03}, expected three digits 0 or 1", flags);
    if (flags / 100 == 1) core::fail_input_at(path_, lines_.line(), "found labels of vertices, expected none");
    const bool has_loads = flags % 10 == 1, arcs_have_loads = flags / 10 % 10 == 1;
    builder_.widen(vertices, lines_.line());
    std::int64_t found = 0;
    for (std::int64_t vertex = 0; vertex < vertices; ++vertex) {
      if (has_loads) number(0, std::int64_t{1} << 53U, "a load");
      for (auto degree = number(0, vertices, "a degree"); degree > 0; --degree, ++found) {
        const auto load = arcs_have_loads ? number(0, std::int64_t{1} << 53U, "a load") : 1;
        const auto to = number(first, vertices - 1 + first, "a vertex") - first;
        if (to == vertex)
          core::fail_input_at(path_, lines_.line(), "found an arc of a vertex to itself, expected none");
        builder_.add(vertex, to, static_cast<std::uint64_t>(load), 1, lines_.line());
      }
    }
    if (found != arcs) core::fail_input("{}: found {} arcs, expected {} as the second line says", path_, found, arcs);
    if (next_word())
      core::fail_input_at(path_, lines_.line(), "found '{}' after {} vertices, expected the end", core::excerpt(*next_),
                          vertices);
    return both_ways(builder_.finish(), path_);
  }

 private:
  std::int64_t number(std::int64_t low, std::int64_t high, std::string_view what) {
    if (!next_word()) core::fail_input("{}: found the end, expected {}: the file is truncated", path_, what);
    return builder_.index(*next_++, low, high, what, lines_.line());
  }

  /// Whether there is another word, which is then *next_.
  bool next_word() {
    while (next_ == words_.end()) {
      const auto line = lines_.next();
      if (!line) return false;
      line_ = core::trim(*line);
      words_ = core::words(line_);
      next_ = words_.begin();
    }
    return true;
  }

  std::string path_;
  MatrixBuilder builder_;
  core::LineReader lines_;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::vector<std::string_view>::iterator next_ = words_.end();
};

CommunicationMatrix read_scotch(const std::string& path) {
  return ScotchReader(path).read();
}

void write_scotch(const CommunicationMatrix& matrix, const TextSink& out) {
  const auto edges = edges_of(matrix);
  auto text = fmt::format("0\n{}\t{}\n0\t010\n", edges.rows.size(), 2 * edge_count(edges));
  for (const auto& row : edges.rows) {
    text += std::to_string(row.size());
    for (const auto& cell : row) text += fmt::format("\t{}\t{}", cell.bytes, cell.to);
    text += '\n';
  }
  out(text);
}

}  // namespace

core::Entry<MatrixFormat> scotch_matrix() {
  return {"scotch", "graph for Scotch without labels, known by the name .grf: an edge's load is the bytes both ways",
          MatrixFormat{is_scotch, read_scotch, write_scotch}};
}

}  // namespace toroid::workloads
