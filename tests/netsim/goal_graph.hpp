#pragma once
// Schedules in GOAL for tests: written as text, and run by the rules of GOAL under LogGP, beside the replay.

#include <cstdint>
#include <string>
#include <vector>

namespace toroid::test {

/// What a rank does: operations by their numbers, with those that they require.
class GoalGraph {
 public:
  struct Operation {
    enum class Kind { send, receive, calculate } kind;
    std::uint64_t amount;  ///< bytes or nanoseconds
    int peer = 0, tag = 0;
    std::vector<std::size_t> ended = {}, begun = {};  ///< that it requires
    int cpu = 0;
  };

  explicit GoalGraph(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  int size() const { return static_cast<int>(ranks_.size()); }
  const std::vector<Operation>& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  // All return the number of the operation.

  int send(int rank, int to, std::uint64_t bytes, int tag = 0) {
    return add(rank, {Operation::Kind::send, bytes, to, tag});
  }
  int receive(int rank, int from, std::uint64_t bytes, int tag = 0) {
    return add(rank, {Operation::Kind::receive, bytes, from, tag});
  }
  int calculate(int rank, std::uint64_t nanoseconds) { return add(rank, {Operation::Kind::calculate, nanoseconds}); }

  /// `later` begins when `earlier` has ended; nothing is to be done where one of them is negative.
  void require(int rank, int later, int earlier) {
    if (later >= 0 && earlier >= 0) at(rank, later).ended.push_back(static_cast<std::size_t>(earlier));
  }
  void require_begin(int rank, int later, int earlier) {
    at(rank, later).begun.push_back(static_cast<std::size_t>(earlier));
  }

  void put_on(int rank, int number, int cpu) { at(rank, number).cpu = cpu; }

  std::string text() const;

  /// When all is done, in seconds, without contention: a message takes `latency` and `per_byte` for each byte, sends
  /// end at once, a cpu of a rank does one thing at a time, and receives get messages by source and tag in the order in
  /// which both were posted. Negative: it never is.
  double time(double latency, double per_byte) const;

 private:
  int add(int rank, Operation operation) {
    auto& all = ranks_[static_cast<std::size_t>(rank)];
    all.push_back(std::move(operation));
    return static_cast<int>(all.size()) - 1;
  }
  Operation& at(int rank, int number) {
    return ranks_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(number)];
  }

  std::vector<std::vector<Operation>> ranks_;
};

/// The communication patterns for which LogGOPSim has a generator, from their definitions.
struct GoalPattern {
  std::string name;
  GoalGraph (*make)(int ranks, std::uint64_t bytes);
};
const std::vector<GoalPattern>& goal_patterns();

}  // namespace toroid::test
