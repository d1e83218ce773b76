#pragma once
// The iterations of one rank, and what the rank computes in them.

#include <cstdint>
#include <span>
#include <vector>

#include "core/period.hpp"
#include "workloads/program_code.hpp"

namespace toroid::workloads {

/// Mean and standard deviation (of a sample) of two values or more.
struct Spread {
  double mean = 0, deviation = 0;
};
Spread spread_of(std::span<const double> values);

/// The program of a rank with mean computation: the recorded items up to iterations, then means up to the last
/// operation of the iterations, then the other recorded items.
struct AveragedProgram {
  std::uint64_t first = 0, end = 0;  ///< the items that are iterations with means; none if these are equal
  ProgramCode iteration = {};        ///< one of them, from an operation to what is computed before it comes again
  std::uint64_t length = 0;          ///< items in it
  std::uint64_t rest = 0;            ///< the recorded item that follows item `end` - 1
};

/// The iterations in a recorded program: operations that come again and again, whatever is computed between them. What
/// a rank computes between the preceding operation and another one is called here what it computes before the latter.
class RankIterations {
 public:
  /// Looks for iterations; not in programs of about 2^24 items or more, which would take too much memory.
  explicit RankIterations(const ProgramCode& code);

  bool exist() const { return part_.period > 0; }
  /// Whether some of them compute other amounts than others. Several in turn that come again and again do not vary.
  bool vary() const { return vary_; }
  std::uint64_t count() const { return (part_.end - part_.first) / part_.period; }
  /// What is computed in them.
  double sum() const { return sum_before(part_.first + 1, part_.end); }
  /// The number of operations in an iteration.
  std::size_t places() const { return part_.period; }
  /// The spread of what is computed before the operation at that place of the iteration.
  Spread spread_before(std::size_t place) const;
  /// What is computed in each iteration, from its first operation to the first one of the next.
  std::vector<double> by_iteration() const;

  AveragedProgram averaged() const;

 private:
  bool compute_alike() const;
  /// What is computed before the k-th operation of the program.
  std::span<const double> before(std::size_t k) const {
    return std::span(amounts_).subspan(begins_[k], begins_[k + 1] - begins_[k]);
  }
  /// What is computed before each of the operations k to `end` - 1, added up.
  double sum_before(std::size_t k, std::size_t end) const;
  /// The first operation at a place of the iteration that another one of the iterations precedes.
  std::size_t first_at(std::size_t place) const { return part_.first + (place == 0 ? part_.period : place); }
  std::vector<double> means_before(std::size_t place) const;
  /// The number of the item that is the k-th operation.
  std::uint64_t item_of(std::size_t k) const { return k + begins_[k + 1]; }

  std::vector<std::uint32_t> numbers_;  ///< of the operations that are no computations
  std::vector<double> amounts_;         ///< of the computations
  std::vector<std::size_t> begins_{0};  ///< before operation k are amounts begins_[k] to begins_[k + 1] - 1
  core::Repetition part_;               ///< operations that are iterations
  bool vary_ = false;
};

}  // namespace toroid::workloads
