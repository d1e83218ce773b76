#pragma once
// What a trace contains: counts by kind, messages, partners; and who sends how much to whom.
//
//   for (const auto& [to, bytes, messages] : matrix.rows[rank]) ...  // what a rank sends

#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {

class CollectiveChoice;
class MemberGrid;

/// A sparse communication matrix: row r lists the receivers of rank r's messages in ascending order. Messages of a rank
/// to itself are left out, as no placement changes what they cost.
struct CommunicationMatrix {
  struct Cell {
    Rank to;
    std::uint64_t bytes, messages;
  };
  core::IdVector<Rank, std::vector<Cell>> rows;

  std::uint64_t total_bytes() const;
  std::uint64_t total_messages() const;
};

/// The matrix of the trace's point-to-point messages alone.
CommunicationMatrix point_to_point_matrix(const Trace& trace);

/// The grid in which the members of a communicator stand, for algorithms that go along its axes.
using GridOf = std::function<const MemberGrid&(CommId)>;

/// The matrix of all messages: point-to-point ones, and those that the chosen algorithms send for collectives. Where no
/// rank has a place yet (no `grid_of`), the grid of members is one ring in the order of their numbers.
CommunicationMatrix communication_matrix(const Trace& trace, const CollectiveChoice& collectives,
                                         const GridOf& grid_of = {});

/// The matrix of p ranks as p lines of p comma-separated numbers: bytes (or messages) from the row's rank to the
/// column's.
std::string matrix_csv(const CommunicationMatrix& matrix, bool messages = false);
/// Takes a text part by part.
using TextSink = std::function<void(std::string_view)>;
/// Writes the text of matrix_csv() line by line, as it does not fit into memory where there are many ranks.
void write_matrix_csv(const CommunicationMatrix& matrix, bool messages, const TextSink& out);

struct TraceSummary {
  std::int32_t ranks = 0;
  std::uint64_t operations = 0;
  std::array<std::uint64_t, op_kind_count> by_kind{};
  std::uint64_t messages = 0, bytes = 0;  ///< point-to-point sends, messages to oneself included
  std::uint64_t self_messages = 0;
  double flops = 0, slept_seconds = 0;
  std::size_t partners_min = 0, partners_max = 0;  ///< ranks that a rank sends point-to-point messages to
  double partners_mean = 0;
  std::uint64_t bytes_max_rank = 0;  ///< bytes sent by the rank that sends most
};

TraceSummary summarize(const Trace& trace);

}  // namespace toroid::workloads
