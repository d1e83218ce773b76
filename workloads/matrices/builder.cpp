#include "workloads/matrices/builder.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::workloads {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 53U;  // up to here doubles are exact, and sums over hops fit

}  // namespace

void MatrixBuilder::widen(std::int64_t ranks, std::uint64_t line) {
  if (ranks > most_matrix_ranks)
    core::fail_input_at(path_, line, "found {} ranks, expected at most {}", ranks, most_matrix_ranks);
  if (static_cast<std::size_t>(ranks) > matrix_.rows.size()) matrix_.rows.resize(ranks);
}

void MatrixBuilder::add(std::int64_t from, std::int64_t to, std::uint64_t bytes, std::uint64_t messages,
                        std::uint64_t line) {
  bytes_ += bytes;
  messages_ += messages;
  if (bytes_ > most || messages_ > most)
    core::fail_input_at(path_, line, "the matrix has more than 2^53 bytes or messages in all");
  if (from != to) matrix_.rows[Rank(from)].push_back({Rank(to), bytes, messages});
}

CommunicationMatrix MatrixBuilder::finish() {
  for (auto& row : matrix_.rows) {
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    std::vector<CommunicationMatrix::Cell> merged;
    for (const auto& cell : row) {
      if (merged.empty() || merged.back().to != cell.to) {
        merged.push_back(cell);
      } else {
        merged.back().bytes += cell.bytes;
        merged.back().messages += cell.messages;
      }
    }
    row = std::move(merged);
  }
  return std::move(matrix_);
}

std::int64_t MatrixBuilder::index(std::string_view text, std::int64_t low, std::int64_t high, std::string_view what,
                                  std::uint64_t line) const {
  const auto value = core::parse_number<std::int64_t>(text);
  if (!value || *value < low || *value > high)
    core::fail_input_at(path_, line, "found '{}', expected {}, {} to {}", core::excerpt(text), what, low, high);
  return *value;
}

std::uint64_t MatrixBuilder::weight(std::string_view text, std::uint64_t line) const {
  const auto value = core::parse_number<double>(text);
  // NaN fails each comparison.
  if (!value || !(*value >= 0 && *value <= static_cast<double>(most)) || *value != std::floor(*value))
    core::fail_input_at(path_, line, "found '{}', expected a whole number of 0 to 2^53", core::excerpt(text));
  return static_cast<std::uint64_t>(*value);
}

bool has_extension(std::string_view path, std::string_view extension) {
  if (path.ends_with(".zst")) path.remove_suffix(4);
  return path.ends_with(extension) && path.size() > extension.size() && path[path.size() - extension.size() - 1] == '.';
}

}  // namespace toroid::workloads
