#include "study/calibration/times.hpp"

#include <cctype>

#include "core/csv.hpp"
#include "core/file.hpp"
#include "core/units.hpp"
#include "platforms/names.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/collectives/choice.hpp"

namespace toroid::study {
namespace {

// Tables of times, and what benchmarks print, line by line.

/// Where a benchmark prints sizes and times, in us, below a comment that has `comment` in it.
struct BenchmarkColumns {
  std::string_view comment;
  std::size_t bytes, time;
};

struct TimedLine {
  std::vector<std::string> named;  ///< the fields of the columns that were asked for; empty where the file has none
  std::uint64_t bytes = 0;
  double seconds = 0;
};

/// What somebody reads from a file of times.
struct TimesReader {
  std::vector<std::string_view> columns;  ///< columns of a table besides bytes and the time
  std::span<const BenchmarkColumns> benchmarks;
  std::string_view expected;  ///< what a file can be, for messages
  /// Called with the columns that a table has, empty ones for what a benchmark prints, before its first line.
  std::function<void(const std::vector<bool>& has)> begin;
  std::function<void(const TimedLine& line)> take;
  /// Called with each comment, which may say what follows.
  std::function<void(std::string_view comment)> hear = [](std::string_view) {};
};

constexpr std::array<std::pair<std::string_view, double>, 4> time_columns{
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

struct TimesColumns {
  std::vector<std::optional<std::size_t>> named;
  std::optional<std::size_t> bytes, time;
  double unit = 1e-6;  ///< seconds
  bool is_table = false;
};

class TimesFile {
 public:
  TimesFile(const std::string& path, const TimesReader& reader) : lines_(path), reader_(reader) {}

  void read() {
    bool is_empty = true;
    while (const auto line = lines_.next()) {
      const auto text = core::trim(*line);
      if (text.empty()) continue;
      try {
        is_empty = !take(text) && is_empty;
      } catch (const core::InputError& error) {
        core::fail_input_at(lines_.path(), lines_.line(), "{}", error.what());
      }
    }
    if (is_empty) core::fail_input("{}: no measurement in it; expected {}", lines_.path(), reader_.expected);
  }

 private:
  /// Whether the line has a measurement.
  bool take(std::string_view text) {
    if (text.front() == '#') {
      reader_.hear(text);
      for (const auto& benchmark : reader_.benchmarks)
        if (text.find(benchmark.comment) != std::string_view::npos) {
          begin({std::vector<std::optional<std::size_t>>(reader_.columns.size()), benchmark.bytes, benchmark.time});
          break;
        }
      return false;
    }
    if (!columns_) {
      begin(header(text));
      return false;
    }
    std::vector<std::string> fields;
    if (columns_->is_table)
      fields = core::csv_fields(text);
    else
      for (const auto word : core::words(text)) fields.emplace_back(word);
    TimedLine line;
    for (const auto& column : columns_->named) line.named.push_back(column ? field(fields, *column) : std::string());
    const auto size = field(fields, *columns_->bytes), time = field(fields, *columns_->time);
    const auto bytes = core::parse_number<std::uint64_t>(size);
    if (!bytes) core::fail_input("found '{}', expected a number of bytes", core::excerpt(size));
    line.bytes = *bytes;
    line.seconds = core::parse_number<double>(time).value_or(0) * columns_->unit;
    if (!(line.seconds >= 1e-12 && line.seconds <= 1e6))  // beyond, squares of relative deviations have no numbers
      core::fail_input("found '{}', expected a time above 0: 1 ps at least, 1000000 s at most", core::excerpt(time));
    reader_.take(line);
    return true;
  }

  TimesColumns header(std::string_view text) const {
    TimesColumns columns{std::vector<std::optional<std::size_t>>(reader_.columns.size()), {}, {}};
    columns.is_table = true;
    const auto names = core::csv_fields(text);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto name = core::trim(names[i]);
      const auto known = std::ranges::find(reader_.columns, name);
      if (known != reader_.columns.end()) columns.named[static_cast<std::size_t>(known - reader_.columns.begin())] = i;
      if (name == "bytes") columns.bytes = i;
      for (const auto& [unit, seconds] : time_columns)
        if (name == unit) {
          columns.time = i;
          columns.unit = seconds;
        }
    }
    if (!columns.bytes || !columns.time)
      core::fail_input("found '{}', expected a header; the file may be {}", core::excerpt(text), reader_.expected);
    return columns;
  }

  void begin(const TimesColumns& columns) {
    std::vector<bool> has;
    for (const auto& column : columns.named) has.push_back(column.has_value());
    reader_.begin(has);
    columns_ = columns;
  }

  static std::string field(const std::vector<std::string>& fields, std::size_t column) {
    if (column >= fields.size()) core::fail_input("found {} columns, expected more", fields.size());
    return std::string(core::trim(fields[column]));
  }

  core::LineReader lines_;
  const TimesReader& reader_;
  std::optional<TimesColumns> columns_;
};

/// Reads a file: a table with a header, which has the columns bytes and one of s, ms, us, ns (CSV), or the output of a
/// benchmark. Throws InputError with file and line where a line is neither, a time is none of 1 ps to 1000000 s, or the
/// reader's functions throw one.
void read_times(const std::string& path, const TimesReader& reader) {
  TimesFile(path, reader).read();
}

// Messages

using platforms::Machine;
using platforms::NodeId;

struct NodePair {
  NodeId from, to;
};

constexpr std::array ping_pongs{BenchmarkColumns{"Latency (us)", 0, 1},  // osu_latency
                                BenchmarkColumns{"t[usec]", 0, 2}};      // IMB PingPong

NodeId node_of(std::string_view text, const Machine& machine, std::string_view what) {
  const auto nodes = platforms::nodes_called(machine, text, what);
  if (nodes.size() != 1) core::fail_input("{}: found '{}', expected one node such as 3 or n3", what, text);
  if (!machine.computes(nodes[0])) core::fail_input("{}: node {} of {} does not compute", what, text, machine.name());
  return nodes[0];
}

std::vector<Measurement> read(const std::string& path, const Machine& machine, const std::optional<NodePair>& pair) {
  std::vector<Measurement> all;
  const auto begin = [&](const std::vector<bool>& has) {
    if (has[0] != has[1])
      core::fail_input("found one of the columns from and to, expected both, or neither and FILE@FROM,TO");
    if (!has[0] && !pair)
      core::fail_input("expected the nodes that were measured behind the name of the file: {}@0,8", path);
    if (has[0] && pair)
      core::fail_input("the table has its nodes in it; expected the name of the file without @{},{}",
                       pair->from.value(), pair->to.value());
  };
  const auto take = [&](const TimedLine& line) {
    const auto from = pair ? pair->from : node_of(line.named[0], machine, "from");
    const auto to = pair ? pair->to : node_of(line.named[1], machine, "to");
    if (from == to) core::fail_input("both ends are node {}, expected a message over the network", from.value());
    all.push_back({from, to, line.bytes, line.seconds});
  };
  read_times(path, {{"from", "to"},
                    ping_pongs,
                    "a table with the columns from, to, bytes and one of s, ms, us, ns, or what osu_latency or "
                    "PingPong of IMB prints",
                    begin,
                    take});
  return all;
}

// Collectives

using workloads::OpKind;

constexpr std::array of_collectives{BenchmarkColumns{"t_max[usec]", 0, 3},  // IMB: bytes, repetitions, min, max, avg
                                    BenchmarkColumns{"Max Latency(us)", 0, 3},  // OSU with --full: bytes, avg, min, max
                                    BenchmarkColumns{"Latency(us)", 0, 1}};     // OSU
constexpr std::array kinds{OpKind::barrier, OpKind::bcast,     OpKind::reduce,   OpKind::allreduce,     OpKind::gather,
                           OpKind::scatter, OpKind::allgather, OpKind::alltoall, OpKind::reduce_scatter};
constexpr std::array names{"shape", "collective", "algorithm", "ranks", "bytes"};

/// The collective of that name, whatever its case: `Allreduce`, `MPI_Allreduce`.
std::optional<OpKind> kind_called(std::string_view name) {
  std::string plain;
  for (const char c : name.starts_with("MPI_") ? name.substr(4) : name)
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto kind : kinds)
    if (plain == to_string(kind)) return kind;
  return std::nullopt;
}

/// The collective that the heading of a benchmark names: also `Broadcast`, `All-to-All`, and `All-to-Allv`, whose
/// counts are all the same there.
std::optional<OpKind> kind_in_heading(std::string_view name) {
  if (name == "Broadcast") return OpKind::bcast;
  if (name == "All-to-All" || name.starts_with("All-to-Allv") || name == "Alltoallv") return OpKind::alltoall;
  return kind_called(name);
}

OpKind kind_of(std::string_view name) {
  if (const auto kind = kind_called(name)) return *kind;
  std::vector<std::string> all;
  for (const auto kind : kinds) all.emplace_back(to_string(kind));
  core::fail_input("found the collective '{}', expected {}", core::excerpt(name), core::either(all));
}

}  // namespace

std::vector<Measurement> read_measurements(const std::string& argument, const Machine& machine) {
  const auto at = argument.rfind('@');
  if (at == std::string::npos || core::is_file(argument)) return read(argument, machine, std::nullopt);
  const auto ends = core::split(std::string_view(argument).substr(at + 1), ',');
  if (ends.size() != 2) core::fail_input("'{}': expected two nodes behind the @, such as @0,8", argument);
  const auto end = [&](std::string_view text) { return node_of(text, machine, fmt::format("'{}'", argument)); };
  return read(argument.substr(0, at), machine, NodePair{end(ends[0]), end(ends[1])});
}

std::string CollectiveTime::curve() const {
  auto text = std::string(to_string(kind));
  if (!shape.empty()) text = shape + " " + text;
  return algorithm.empty() ? text : text + " " + algorithm;
}

TimesLeftOut::TimesLeftOut(const std::string& text) : text_(text) {
  const auto at = text.find_first_of("=<>");
  column_ = std::string(core::trim(text.substr(0, at)));
  if (at == std::string::npos || std::ranges::find(names, column_) == names.end())
    core::fail_input("--without: found '{}', expected a rule such as algorithm=bruck or bytes>64MiB, of {}",
                     core::excerpt(text), core::either({names.begin(), names.end()}));
  relation_ = text[at];
  value_ = std::string(core::trim(text.substr(at + 1)));
  if (column_ == "bytes" || column_ == "ranks")
    number_ = core::parse_whole_bytes(value_, "--without " + column_);
  else if (relation_ != '=')
    core::fail_input("--without: found '{}', expected {}=NAME", core::excerpt(text), column_);
}

bool TimesLeftOut::holds(const std::string& shape, const std::string& collective, const std::string& algorithm,
                         std::uint64_t ranks, std::uint64_t bytes) const {
  if (column_ == "shape") return value_ == shape;
  if (column_ == "algorithm") return value_ == algorithm;
  if (column_ == "collective")
    return kind_called(value_) ? kind_called(value_) == kind_called(collective) : value_ == collective;
  if (column_ == "ranks" && ranks == 0) return false;
  const auto number = column_ == "bytes" ? bytes : ranks;
  return relation_ == '=' ? number == number_ : relation_ == '<' ? number < number_ : number > number_;
}

CollectiveTimes read_collective_times(const std::string& argument, const std::vector<TimesLeftOut>& rules,
                                      const std::map<std::string, std::size_t>& nodes) {
  const auto at = core::is_file(argument) ? std::string::npos : argument.rfind('@');
  const auto path = argument.substr(0, at);
  const auto given = at == std::string::npos ? std::string() : argument.substr(at + 1);
  CollectiveTimes times;
  for (const auto& rule : rules) times.left_out.emplace_back(rule.text(), 0);
  bool is_table = false;
  std::string heard, heard_ranks;
  const auto begin = [&](const std::vector<bool>& has) {
    is_table = has[0];
    if (is_table && !given.empty())
      core::fail_input("the table says what was measured; expected the name of the file without @{}", given);
    if (!is_table && heard.empty()) core::fail_input("no comment says which collective follows, as OSU and IMB print");
  };
  const auto take = [&](const TimedLine& line) {
    const auto collective = is_table ? line.named[0] : heard;
    const auto algorithm = is_table ? line.named[1] : given;
    const auto& ranks_text = is_table ? line.named[2] : heard_ranks;
    const auto& shape = line.named[3];
    const auto ranks = ranks_text.empty() ? std::int32_t{0} : core::parse_number<std::int32_t>(ranks_text).value_or(0);
    if (!ranks_text.empty() && ranks < 2)
      core::fail_input("found '{}' ranks, expected a number from 2 on", core::excerpt(ranks_text));
    const auto known = nodes.find(shape);
    const auto simulated = ranks == 0 && known != nodes.end() ? known->second : static_cast<std::uint64_t>(ranks);
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (rules[i].holds(shape, collective, algorithm, simulated, line.bytes)) {
        ++times.left_out[i].second;
        return;
      }
    if (known != nodes.end() && simulated > known->second)
      core::fail_input("found {} ranks, expected at most {}, one on each node of the machine", ranks, known->second);
    const auto kind = kind_of(collective);
    if (!algorithm.empty())
      workloads::CollectiveChoice::parse(fmt::format("default:{}=({})", to_string(kind), algorithm));
    times.all.push_back({shape, kind, algorithm, ranks, line.bytes, line.seconds});
  };
  const auto hear = [&](std::string_view comment) {
    const auto words = core::words(comment);
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "#processes" && i + 2 < words.size()) heard_ranks = std::string(words[i + 2]);
      if (words[i - 1] != "MPI" && !words[i - 1].starts_with("MPI-") && words[i - 1] != "Benchmarking") continue;
      if (const auto kind = kind_in_heading(words[i])) heard = std::string(to_string(*kind));
    }
  };
  read_times(path, {{"collective", "algorithm", "ranks", "shape"},
                    of_collectives,
                    "a table with the columns collective, bytes and one of s, ms, us, ns, or what a benchmark of "
                    "collectives of OSU or IMB prints",
                    begin,
                    take,
                    hear});
  return times;
}

}  // namespace toroid::study
