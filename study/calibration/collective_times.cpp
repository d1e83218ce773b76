#include "study/calibration/collective_times.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/file.hpp"
#include "core/units.hpp"
#include "study/calibration/times.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/collectives/choice.hpp"

namespace toroid::study {
namespace {

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

std::string CollectiveTime::curve() const {
  auto text = std::string(to_string(kind));
  if (!shape.empty()) text = shape + " " + text;
  return algorithm.empty() ? text : text + " " + algorithm;
}

TimesLeftOut::TimesLeftOut(const std::string& text) : text_(text) {
  const auto at = text.find_first_of("=<>");
  column_ = std::string(core::trim(text.substr(0, at)));
  if (at == std::string::npos || std::find(names.begin(), names.end(), column_) == names.end())
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
