#pragma once
// Measured times of single messages and of collectives: tables, and what benchmarks of MPI print.

#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/operation.hpp"

namespace toroid::study {

/// A message that had the machine to itself.
struct Measurement {
  platforms::NodeId from{}, to{};
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< the time from the send until its last byte has arrived: half of a ping-pong's round trip
};

/// Reads the measurements that an argument names, FILE or FILE@FROM,TO with the two nodes that were measured:
///
///   - a table with the columns from, to, bytes and one of s, ms, us, ns (CSV with a header); nodes as 3 or n3;
///   - what osu_latency prints, or PingPong of the Intel MPI Benchmarks, with @FROM,TO.
///
/// Throws InputError with file and line where a line is none of that, a node does not compute, or a time is none of
/// 1 ps to 1000000 s.
std::vector<Measurement> read_measurements(const std::string& argument, const platforms::Machine& machine);

/// A call of a collective that all ranks made at once.
struct CollectiveTime {
  std::string shape;  ///< which of the machines that were measured; empty: the only one
  workloads::OpKind kind{};
  std::string algorithm;    ///< its name, as --collectives has it, with what was asked of it; empty: by the rule
  std::int32_t ranks = 0;   ///< 0: one on each node of the machine
  std::uint64_t bytes = 0;  ///< Operation::bytes; of a reduce_scatter, the vector of each rank
  double seconds = 0;       ///< until the last rank had left the call

  /// Which times come of one thing that was measured over sizes: `4x4x4 allreduce ring`.
  std::string curve() const;
};

/// What leaves times out: `algorithm=bruck`, `bytes>64MiB`, `ranks<8`.
class TimesLeftOut {
 public:
  /// Throws InputError on a text that is no such rule.
  explicit TimesLeftOut(const std::string& text);
  const std::string& text() const { return text_; }
  /// `ranks` is 0 where nobody knows: no rule on ranks holds then.
  bool holds(const std::string& shape, const std::string& collective, const std::string& algorithm, std::uint64_t ranks,
             std::uint64_t bytes) const;

 private:
  std::string text_, column_, value_;
  char relation_ = '=';
  std::uint64_t number_ = 0;
};

struct CollectiveTimes {
  std::vector<CollectiveTime> all;
  std::vector<std::pair<std::string, std::size_t>> left_out;  ///< each rule, and how many times it left out
};

/// Reads the times that an argument names:
///
///   - a table with the columns collective, bytes and one of s, ms, us, ns, and where there are such shape, algorithm,
///     ranks (CSV with a header);
///   - what a benchmark of collectives of OSU or IMB prints; FILE@ALGORITHM says which algorithm the library had.
///
/// `nodes` are those of the machine of each shape: so many ranks has a time that does not say how many, and none has
/// more. Rules apply in their order; the times that they leave out are not judged. Throws InputError with file and line
/// on what is no such time, and where a collective has no such algorithm.
CollectiveTimes read_collective_times(const std::string& argument, const std::vector<TimesLeftOut>& rules,
                                      const std::map<std::string, std::size_t>& nodes = {});

}  // namespace toroid::study
