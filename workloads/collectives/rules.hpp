#pragma once
// Which algorithm a call of a collective gets unless told otherwise: rules as tables, from which the reference is made.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/collectives/schedule.hpp"

namespace toroid::workloads {

/// What a call must be like: a quantity of it lies between two limits, both included.
struct CallCondition {
  enum class Quantity : std::uint8_t {
    ranks,         ///< ranks of the communicator
    bytes,         ///< CollectiveCall::bytes
    bytes_in_all,  ///< the blocks of all ranks together
    odd_ranks,     ///< ranks beyond the largest power of two
    odd_blocks     ///< blocks of another size than the block before
  };
  Quantity quantity;
  std::uint64_t low, high;

  bool holds(const CollectiveCall& call) const;
  bool is_always() const { return low == 0 && high == UINT64_MAX; }
  /// `up to 2,048 B`; empty if the condition always holds.
  std::string text() const;
};

/// The algorithm of calls of a kind that are as `when` says, where no line above is for them.
struct RuleLine {
  OpKind kind;
  CallCondition when;
  std::string_view algorithm;
};

/// A rule for all kinds of collectives.
struct CollectiveRule {
  std::string_view name;
  std::span<const RuleLine> lines;
  const CollectiveRule* rest = nullptr;  ///< for calls that no line is for; null: there are none
  bool may_use_grid = false;             ///< whether it may name an algorithm that goes along the members' grid

  /// The name of the algorithm. Depends only on what every rank of the communicator knows.
  std::string_view algorithm(const CollectiveCall& call) const;
  /// The kinds that have lines, in the order of these.
  std::vector<OpKind> kinds() const;
  /// What the lines of such a kind say: `bruck up to 1,023 B, linear up to 262,143 B, else pairwise`.
  std::string text(OpKind kind) const;
};

/// The rules mpi, torus and smpi, which CollectiveChoice::parse() describes; the first is for programs of no world.
std::span<const CollectiveRule> collective_rules();

/// What users call the rule of the program's world (Trace::collectives()).
inline constexpr std::string_view rule_of_program = "default";

/// That, and the names of the rules.
std::vector<std::string> collective_rule_names();

}  // namespace toroid::workloads
