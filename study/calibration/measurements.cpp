#include "study/calibration/measurements.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "platforms/names.hpp"

namespace toroid::study {
namespace {

using platforms::Machine;
using platforms::NodeId;

struct NodePair {
  NodeId from, to;
};

struct TimeUnit {
  std::string_view column;
  double seconds;
};
constexpr std::array<TimeUnit, 4> units{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

/// Where the columns of a file are.
struct Columns {
  std::optional<std::size_t> from, to, bytes, time;  ///< without from and to, all lines are of one pair of nodes
  double unit = 1;                                   ///< seconds
};

NodeId node_of(std::string_view text, const Machine& machine, std::string_view what) {
  const auto nodes = platforms::nodes_called(machine, text, what);
  if (nodes.size() != 1) core::fail_input("{}: found '{}', expected one node such as 3 or n3", what, text);
  if (!machine.computes(nodes[0])) core::fail_input("{}: node {} of {} does not compute", what, text, machine.name());
  return nodes[0];
}

/// The columns of a table by its header; nothing if the line is none.
std::optional<Columns> table_columns(std::string_view line) {
  Columns columns;
  const auto names = core::csv_fields(line);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto name = core::trim(names[i]);
    if (name == "from") columns.from = i;
    if (name == "to") columns.to = i;
    if (name == "bytes") columns.bytes = i;
    for (const auto& unit : units)
      if (name == unit.column) {
        columns.time = i;
        columns.unit = unit.seconds;
      }
  }
  if (!columns.bytes || !columns.time || columns.from.has_value() != columns.to.has_value()) return std::nullopt;
  return columns;
}

/// The columns of a benchmark's output by the comment above its numbers; nothing if the comment does not tell.
std::optional<Columns> benchmark_columns(std::string_view comment) {
  if (comment.find("Latency (us)") != std::string_view::npos) return Columns{{}, {}, 0, 1, 1e-6};  // osu_latency
  if (comment.find("t[usec]") != std::string_view::npos) return Columns{{}, {}, 0, 2, 1e-6};       // IMB PingPong
  return std::nullopt;
}

/// Reads the lines of one file.
class Reader {
 public:
  Reader(const std::string& path, const Machine& machine, const std::optional<NodePair>& pair)
      : lines_(path), machine_(machine), pair_(pair) {}

  std::vector<Measurement> read() {
    while (const auto line = lines_.next()) {
      const auto text = core::trim(*line);
      if (text.empty()) continue;
      try {
        take(text);
      } catch (const core::InputError& error) {
        core::fail_input_at(lines_.path(), lines_.line(), "{}", error.what());
      }
    }
    if (measurements_.empty())
      core::fail_input(
          "{}: no measurement in it; expected a table with the columns from, to, bytes and us, or what "
          "osu_latency or PingPong of IMB prints",
          lines_.path());
    return std::move(measurements_);
  }

 private:
  void take(std::string_view text) {
    if (text.front() == '#') {
      if (const auto columns = benchmark_columns(text)) begin(*columns, false);
    } else if (!columns_.has_value()) {
      const auto columns = table_columns(text);
      if (!columns)
        core::fail_input(
            "found '{}', expected a header with the columns from, to, bytes and one of s, ms, us, ns, or "
            "what osu_latency or PingPong of IMB prints",
            text);
      begin(*columns, true);
    } else {
      if (is_table_)
        add(core::csv_fields(text));
      else
        add(core::words(text));
    }
  }

  void begin(const Columns& columns, bool is_table) {
    if (!columns.from && !pair_)
      core::fail_input("expected the nodes that were measured behind the name of the file: {}@0,8", lines_.path());
    if (columns.from && pair_)
      core::fail_input("the table has its nodes in it; expected the name of the file without @{},{}",
                       pair_->from.value(), pair_->to.value());
    columns_ = columns;
    is_table_ = is_table;
  }

  template <class Text>
  void add(const std::vector<Text>& fields) {
    const auto field = [&](std::size_t column) {
      if (column >= fields.size()) core::fail_input("found {} columns, expected more", fields.size());
      return core::trim(fields[column]);
    };
    Measurement m;
    m.from = columns_->from ? node_of(field(*columns_->from), machine_, "from") : pair_->from;
    m.to = columns_->to ? node_of(field(*columns_->to), machine_, "to") : pair_->to;
    if (m.from == m.to) core::fail_input("both ends are node {}, expected a message over the network", m.from.value());
    const auto bytes = core::parse_number<std::uint64_t>(field(*columns_->bytes));
    if (!bytes) core::fail_input("found '{}', expected a number of bytes", field(*columns_->bytes));
    m.bytes = *bytes;
    const auto time = core::parse_number<double>(field(*columns_->time));
    m.seconds = time.value_or(0) * columns_->unit;
    if (!(m.seconds >= 1e-12 && m.seconds <= 1e6))  // beyond, squares of relative deviations have no numbers
      core::fail_input("found '{}', expected a time above 0: 1 ps at least, 1000000 s at most", field(*columns_->time));
    measurements_.push_back(m);
  }

  core::LineReader lines_;
  const Machine& machine_;
  std::optional<NodePair> pair_;
  std::optional<Columns> columns_;
  bool is_table_ = false;
  std::vector<Measurement> measurements_;
};

}  // namespace

std::vector<Measurement> read_measurements(const std::string& argument, const Machine& machine) {
  const auto at = argument.rfind('@');
  if (at == std::string::npos || core::is_file(argument)) return Reader(argument, machine, std::nullopt).read();
  const auto ends = core::split(std::string_view(argument).substr(at + 1), ',');
  if (ends.size() != 2) core::fail_input("'{}': expected two nodes behind the @, such as @0,8", argument);
  const auto end = [&](std::string_view text) { return node_of(text, machine, fmt::format("'{}'", argument)); };
  return Reader(argument.substr(0, at), machine, NodePair{end(ends[0]), end(ends[1])}).read();
}

}  // namespace toroid::study
