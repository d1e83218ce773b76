#pragma once
// What the NAS Parallel Benchmarks (version 3.4, MPI) have in common: classes, a start with one iteration to warm up,
// the iterations that are timed, an end. D. Bailey et al., The NAS Parallel Benchmarks, NAS Technical Reports
// RNR-94-007 and 95-020.

#include <array>
#include <memory>
#include <optional>

#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads::npb {

enum class ProblemClass : std::uint8_t { S, W, A, B, C, D };
inline constexpr std::size_t class_count = 6;

/// Something that depends on the class.
template <class T>
class ByClass {
 public:
  template <class... Values>
  constexpr explicit ByClass(Values... values) : values_{values...} {
    static_assert(sizeof...(values) == class_count);
  }
  constexpr const T& operator[](ProblemClass problem) const { return values_[static_cast<std::size_t>(problem)]; }

 private:
  std::array<T, class_count> values_;
};

/// What is asked for.
struct Request {
  std::string name;  ///< of the trace
  ProblemClass problem;
  std::int32_t ranks;
  std::optional<std::int32_t> iterations;  ///< unless it is all
};

/// How often a benchmark does what, and how much.
struct Amount {
  std::int32_t iterations;  ///< that are timed
  double operations;        ///< counted in them, as the benchmark counts for its report
  /// Computation of the whole run for each of them: that of class A on 64 ranks in a recorded run, in nanoseconds.
  double cost;
};

/// What one rank does, written down operation by operation. Bytes are those of the type, 8 for a number.
class Script {
 public:
  Script(std::vector<Operation>& out, double iteration) : out_(out), iteration_(iteration) {}

  /// So much of the computation of an iteration.
  void compute(double part) {
    if (part > 0) out_.push_back({.kind = OpKind::compute, .amount = part * iteration_});
  }
  void send(CommRank to, std::int32_t tag, std::uint64_t bytes) {
    out_.push_back({.kind = OpKind::send, .to = to, .tag = tag, .bytes = bytes});
  }
  void isend(CommRank to, std::int32_t tag, std::uint64_t bytes, RequestHandle request) {
    out_.push_back({.kind = OpKind::isend, .to = to, .tag = tag, .request = request, .bytes = bytes});
  }
  void recv(CommRank from, std::int32_t tag, std::uint64_t bytes) {
    out_.push_back({.kind = OpKind::recv, .from = from, .tag = tag, .bytes = bytes});
  }
  void irecv(CommRank from, std::int32_t tag, std::uint64_t bytes, RequestHandle request) {
    out_.push_back({.kind = OpKind::irecv, .from = from, .tag = tag, .request = request, .bytes = bytes});
  }
  void wait(RequestHandle request) { out_.push_back({.kind = OpKind::wait, .request = request}); }
  /// For the requests 0 to `count` - 1.
  void waitall(std::size_t count) {
    static constexpr std::array<RequestHandle, 12> handles{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    out_.push_back({.kind = OpKind::waitall, .requests = std::span(handles).first(count)});
  }
  /// Sends to a rank and receives from it, by irecv, send and wait.
  void exchange(CommRank partner, std::int32_t tag, std::uint64_t sent, std::uint64_t received) {
    irecv(partner, tag, received, 0);
    send(partner, tag, sent);
    wait(0);
  }
  /// On the world, from or to rank 0 where there is a root.
  void collective(OpKind kind, std::uint64_t bytes = 0) { out_.push_back({.kind = kind, .bytes = bytes}); }
  void add(const Operation& operation) { out_.push_back(operation); }

 private:
  std::vector<Operation>& out_;
  double iteration_;
};

inline constexpr std::uint64_t word = 8;     ///< bytes of a floating point number
inline constexpr std::uint64_t integer = 4;  ///< and of an integer or logical

class Benchmark : public GeneratedTrace {
 public:
  /// Throws InputError when more iterations are asked for than there are.
  Benchmark(const Request& request, const Amount& amount);

  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const final;

 protected:
  std::int32_t iterations() const { return iterations_; }

 private:
  /// All before the clock is started, the iteration to warm up included.
  virtual void begin(Rank rank, Script& script) const = 0;
  /// Iteration 1, 2, ...
  virtual void iterate(Rank rank, std::int32_t iteration, Script& script) const = 0;
  virtual void finish(Rank rank, Script& script) const = 0;

  std::int32_t iterations_;
  double computation_;  ///< of a rank in an iteration
};

/// One of the benchmarks.
struct Kind {
  std::string_view name, help;
  std::string_view ranks;  ///< on how many it runs, in words
  bool (*runs_on)(std::int32_t ranks, ProblemClass problem);
  std::unique_ptr<Trace> (*make)(const Request& request);
};

/// What makes a benchmark of type T.
template <class T>
std::unique_ptr<Trace> make(const Request& request) {
  return std::make_unique<T>(request);
}

}  // namespace toroid::workloads::npb
