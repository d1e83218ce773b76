#pragma once
// Which algorithm a call of a collective gets unless told otherwise: rules as tables, from which the reference is made.

#include "workloads/collectives/schedule.hpp"

namespace toroid::workloads {

/// What a call must be like: a quantity of it lies between two limits, both included; or its ranks lie on a side of a
/// line over its bytes.
struct CallCondition {
  enum class Quantity : std::uint8_t {
    ranks,         ///< ranks of the communicator
    bytes,         ///< CollectiveCall::bytes
    bytes_in_all,  ///< the blocks of all ranks together
    odd_ranks,     ///< ranks beyond the largest power of two
    odd_blocks,    ///< blocks of another size than the block before
    too_short,     ///< 1 if the vector has fewer bytes than its members' rings take (MemberGrid::rings_from()), else 0
    off_grid,      ///< members that stand in no grid that is known (MemberGrid::is_grid()): all or none
    below_line,    ///< ranks < slope * bytes + start, where a reduce_scatter has the bytes of all blocks together
    above_line,    ///< ranks > slope * bytes + start, likewise
    from_line      ///< ranks >= slope * bytes + start, likewise
  };
  Quantity quantity;
  std::uint64_t low, high;
  double slope = 0, start = 0;  ///< ranks per byte; ranks

  bool holds(const CollectiveCall& call) const;
  bool has_line() const { return quantity >= Quantity::below_line; }
  bool is_always() const { return low == 0 && high == UINT64_MAX && !has_line(); }
  /// `up to 2,048 B`; empty if the condition always holds.
  std::string text() const;
};

/// The algorithm of calls of a kind that are as `when` and `too` say, where no line above is for them.
struct RuleLine {
  OpKind kind;
  CallCondition when;
  std::string_view algorithm;
  std::uint64_t segment = 0;  ///< CollectiveTuning::segment
  CallCondition too = {CallCondition::Quantity::ranks, 0, UINT64_MAX};

  /// `up to 7 ranks and up to 511 B`; empty if both conditions always hold.
  std::string condition() const;
};

/// A rule for all kinds of collectives.
struct CollectiveRule {
  std::string_view name;
  std::span<const RuleLine> lines;
  const CollectiveRule* rest = nullptr;  ///< the rule for calls that no line is for; null: there are no such calls
  bool may_use_grid = false;             ///< whether it may name an algorithm that goes along the members' grid

  /// The line for a call. Depends only on what every rank of the communicator knows.
  const RuleLine& line(const CollectiveCall& call) const;
  /// The kinds that have lines, in the order of these.
  std::vector<OpKind> kinds() const;
  /// What the lines of such a kind say: `bruck up to 1,023 B, linear up to 262,143 B, else pairwise`.
  std::string text(OpKind kind) const;
};

/// The rules mpi, torus, openmpi and smpi, which CollectiveChoice::parse() describes; the first is for programs of no
/// world.
std::span<const CollectiveRule> collective_rules();

/// What users call the rule of the program's world (Trace::collectives()).
inline constexpr std::string_view rule_of_program = "default";

/// The names of all rules, and that one first.
std::vector<std::string> collective_rule_names();

}  // namespace toroid::workloads
