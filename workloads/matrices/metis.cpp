// Graphs as METIS and its kin read them (G. Karypis, METIS manual, section 4.5): a line VERTICES EDGES [FORMAT
// [WEIGHTS]], then a line for each vertex, its neighbours from 1, each followed by the weight of the edge.

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "workloads/matrices/builder.hpp"
#include "workloads/matrices/matrices.hpp"
#include "workloads/matrices/undirected.hpp"

namespace toroid::workloads {
namespace {

bool is_metis(const std::string& path) {
  return has_extension(path, "graph") || has_extension(path, "metis");
}

class MetisReader {
 public:
  explicit MetisReader(const std::string& path) : path_(path), builder_(path), lines_(path) {}

  CommunicationMatrix read() {
    read_header();
    for (std::int64_t vertex = 0; vertex < vertices_; ++vertex) read_vertex(vertex);
    while (next_line())
      if (!line_.empty())
        core::fail_input_at(path_, lines_.line(), "found another line after {} vertices, expected the end", vertices_);
    auto edges = builder_.finish();
    const auto found = edge_count(edges);
    auto matrix = both_ways(std::move(edges), path_);
    if (found != static_cast<std::size_t>(edges_))
      core::fail_input("{}: found {} edges, expected {} as the first line says", path_, found, edges_);
    return matrix;
  }

 private:
  void read_header() {
    do {
      if (!next_line()) core::fail_input("{}: the graph is empty; expected VERTICES EDGES [FORMAT [WEIGHTS]]", path_);
    } while (line_.empty());
    const auto fields = core::words(line_);
    if (fields.size() < 2 || fields.size() > 4) fail_header();
    vertices_ = number(fields[0], 1, most_matrix_ranks, "a number of vertices");
    edges_ = number(fields[1], 0, std::int64_t{1} << 40U, "a number of edges");
    const auto format = fields.size() > 2 ? fields[2] : "0";
    if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) fail_header();
    const auto digit = [&](std::size_t from_right) {
      return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
    };
    edges_have_weights_ = digit(0);
    skipped_ = digit(2) ? 1 : 0;  // the size of a vertex
    if (digit(1)) skipped_ += fields.size() == 4 ? static_cast<std::size_t>(number(fields[3], 1, 1000, "weights")) : 1;
    builder_.widen(vertices_, lines_.line());
  }

  [[noreturn]] void fail_header() const {
    core::fail_input_at(path_, lines_.line(), "found '{}', expected VERTICES EDGES [FORMAT [WEIGHTS]]",
                        core::excerpt(line_));
  }

  /// A vertex without neighbours has a blank line.
  void read_vertex(std::int64_t vertex) {
    if (!next_line())
      core::fail_input("{}: found {} vertices, expected {}: the file is truncated", path_, vertex, vertices_);
    const auto fields = core::words(line_);
    const std::size_t step = edges_have_weights_ ? 2 : 1;
    if (fields.size() < skipped_ || (fields.size() - skipped_) % step != 0)
      core::fail_input_at(path_, lines_.line(), "found {} numbers, expected {} and {} for each neighbour",
                          fields.size(), skipped_, step);
    for (auto i = skipped_; i < fields.size(); i += step) {
      const auto to = number(fields[i], 1, vertices_, "a vertex") - 1;
      if (to == vertex) core::fail_input_at(path_, lines_.line(), "found an edge of a vertex to itself, expected none");
      builder_.add(vertex, to, edges_have_weights_ ? builder_.weight(fields[i + 1], lines_.line()) : 1, 1,
                   lines_.line());
    }
  }

  std::int64_t number(std::string_view text, std::int64_t low, std::int64_t high, std::string_view what) const {
    return builder_.index(text, low, high, what, lines_.line());
  }

  /// The next line that is no comment; false at the end.
  bool next_line() {
    while (const auto line = lines_.next()) {
      line_ = core::trim(*line);
      if (!line_.starts_with('%')) return true;
    }
    return false;
  }

  std::string path_;
  MatrixBuilder builder_;
  core::LineReader lines_;
  std::string_view line_;
  std::int64_t vertices_ = 0, edges_ = 0;
  bool edges_have_weights_ = false;
  std::size_t skipped_ = 0;  ///< numbers of a vertex before its neighbours
};

CommunicationMatrix read_metis(const std::string& path) {
  return MetisReader(path).read();
}

void write_metis(const CommunicationMatrix& matrix, const TextSink& out) {
  const auto edges = edges_of(matrix);
  auto text = fmt::format("{} {} 001\n", edges.rows.size(), edge_count(edges));
  for (const auto& row : edges.rows) {
    std::string_view gap;
    for (const auto& cell : row) {
      text += fmt::format("{}{} {}", gap, cell.to.value() + 1, cell.bytes);
      gap = " ";
    }
    text += '\n';
  }
  out(text);
}

}  // namespace

core::Entry<MatrixFormat> metis_matrix() {
  return {"metis",
          "graph for METIS and its kin, known by the names .graph and .metis: an edge's weight is the bytes both ways; "
          "vertices from 1",
          MatrixFormat{is_metis, read_metis, write_metis}};
}

}  // namespace toroid::workloads
