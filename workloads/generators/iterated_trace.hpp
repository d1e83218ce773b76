#pragma once
// Programs that do the same again and again, after a beginning and before an end; and how one writes down what a rank
// does.

#include "core/units.hpp"
#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {

inline constexpr std::uint64_t word = 8;     ///< bytes of a floating-point number
inline constexpr std::uint64_t integer = 4;  ///< bytes of an integer or logical

/// What one rank does, written down operation by operation. Bytes are those of the type, 8 for a number.
class Script {
 public:
  /// Computations are counted in units of `unit` flops.
  Script(std::vector<Operation>& out, double unit) : out_(out), unit_(unit) {}

  /// Computes that many units; nothing is written down if that is nothing.
  void compute(double units) {
    const double flops = units * unit_;
    if (flops > 0) out_.push_back({.kind = OpKind::compute, .amount = flops});
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
  /// Waits for `count` requests, `first`, `first` + 1, ..., which are below 64.
  void waitall(std::size_t count, std::size_t first = 0) {
    static constexpr auto handles = [] {
      std::array<RequestHandle, 64> all{};
      std::iota(all.begin(), all.end(), 0U);
      return all;
    }();
    TOROID_ASSERT(first + count <= handles.size());
    out_.push_back({.kind = OpKind::waitall, .requests = std::span(handles).subspan(first, count)});
  }
  /// Sends to a rank and receives from it, by irecv, send and wait.
  void exchange(CommRank partner, std::int32_t tag, std::uint64_t sent, std::uint64_t received) {
    irecv(partner, tag, received, 0);
    send(partner, tag, sent);
    wait(0);
  }
  /// Adds a collective on the world; its root, if it has one, is rank 0.
  void collective(OpKind kind, std::uint64_t bytes = 0) { out_.push_back({.kind = kind, .bytes = bytes}); }
  void add(const Operation& operation) { out_.push_back(operation); }

 private:
  std::vector<Operation>& out_;
  double unit_;
};

// The scatter of computations of the same work: from rank to rank, and from one time to the next.

/// 0: none.
struct Scatter {
  double imbalance = 0;  ///< standard deviation over mean of what ranks compute in the whole run
  double noise = 0;      ///< variance over mean, in flops, of a computation from one time to the next
  double jitter = 0;     ///< standard deviation over mean of a computation from one time to the next, beside noise

  bool changes_with_time() const { return noise > 0 || jitter > 0; }
};

inline const core::Parameter<double> imbalance{
    "imbalance", "by how much ranks with the same work differ in what they compute: standard deviation over mean",
    core::real(0, 100), "0"};
/// Its flops are no work: it is of a type of its own, as keys of the type flops() say what a program computes.
inline const core::Parameter<double> noise{
    "noise",
    "variance over mean of a computation from one time to the next, as by interruptions",
    {"a variance over a mean, in flops such as 1kf", core::flops().parse},
    "0f"};
inline const core::Parameter<double> jitter{
    "jitter", "beside noise, standard deviation over mean of a computation from one time to the next",
    core::real(0, 100), "0"};
/// The values of these keys.
Scatter scatter(const core::Arguments& arguments);

/// A factor for each rank, with a mean of 1 and that standard deviation; none if the deviation is 0.
std::vector<double> rank_factors(std::int32_t ranks, double deviation);

/// Draws how long the computations of a rank in a step of its program take, each run of computations in a row as one,
/// since nobody can tell them apart. The variance of a run of m flops is noise m + (jitter m)^2. Interruptions that
/// come at random are the first part, which is as large for a computation as for two halves of it. What makes all of a
/// computation slower, such as memory that others use, is the second; a run that goes on from the end of one step to
/// the beginning of the next shares it, unless one of the steps has nothing else. Otherwise all runs are independent.
/// A step gets the same numbers whenever it is asked for.
void let_scatter(std::span<Operation> operations, const Scatter& scatter, Rank rank, std::uint64_t step);

class IteratedTrace : public GeneratedTrace {
 public:
  /// `unit` is what its script counts computations in: the flops of a rank in an iteration, or one flop.
  IteratedTrace(const core::Arguments& arguments, std::int32_t ranks, std::int32_t iterations, double unit = 1,
                const Scatter& scatter = {}, const std::string& remark = {});

  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const final;
  Iterations iteration_steps() const final { return {1, static_cast<std::uint64_t>(iterations_) + 1}; }
  Loop loop() const final;

 protected:
  /// The iterations that are all the same, `first` to `last`; none if the first comes after the last.
  struct Same {
    std::int32_t first, last;
  };
  std::int32_t iterations() const { return iterations_; }

 private:
  virtual void begin(Rank, Script&) const {}
  /// Writes down what a rank does in an iteration, which count from 1.
  virtual void iterate(Rank rank, std::int32_t iteration, Script& script) const = 0;
  virtual void finish(Rank, Script&) const {}
  virtual Same same_iterations() const { return {1, iterations_}; }

  std::int32_t iterations_;
  double unit_;
  Scatter scatter_;
  std::vector<double> factors_;  ///< factor of each rank; empty: all are 1
};

}  // namespace toroid::workloads
