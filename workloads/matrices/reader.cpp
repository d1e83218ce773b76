#include "workloads/matrices/matrices.hpp"

#include <cmath>

namespace toroid::workloads {
namespace {

constexpr std::uint64_t most_weight = std::uint64_t{1} << 53U;  // doubles are exact up to here, and sums over hops fit

}  // namespace

bool MatrixReader::next_line(bool blank_ones_too) {
  while (const auto line = lines_.next()) {
    line_ = core::trim(*line);
    const bool is_comment = comment_ != 0 && line_.starts_with(comment_);
    if (!is_comment && (blank_ones_too || !line_.empty())) return true;
  }
  line_ = {};
  return false;
}

std::optional<std::string_view> MatrixReader::next_word() {
  while (next_word_ == words_.size()) {
    if (!next_line()) return std::nullopt;
    words_ = core::words(line_);
    next_word_ = 0;
  }
  return words_[next_word_++];
}

void MatrixReader::widen(std::int64_t ranks) {
  if (ranks > most_matrix_ranks) fail("found {} ranks, expected at most {}", ranks, most_matrix_ranks);
  if (static_cast<std::size_t>(ranks) > matrix_.rows.size()) matrix_.rows.resize(ranks);
}

void MatrixReader::add(std::int64_t from, std::int64_t to, std::uint64_t bytes, std::uint64_t messages) {
  TOROID_ASSERT(matrix_.rows.has(Rank(from)) && matrix_.rows.has(Rank(to)));
  bytes_ += bytes;
  messages_ += messages;
  if (bytes_ > most_weight || messages_ > most_weight) fail("the matrix has more than 2^53 bytes or messages in all");
  if (from != to) matrix_.rows[Rank(from)].push_back({Rank(to), bytes, messages});
}

CommunicationMatrix MatrixReader::finish() {
  for (auto& row : matrix_.rows) {
    std::ranges::sort(row, {}, &CommunicationMatrix::Cell::to);
    std::vector<CommunicationMatrix::Cell> merged;
    for (const auto& cell : row) {
      if (merged.empty() || merged.back().to != cell.to) merged.push_back({cell.to, 0, 0});
      merged.back().bytes += cell.bytes;
      merged.back().messages += cell.messages;
    }
    row = std::move(merged);
  }
  bytes_ = messages_ = 0;
  return std::exchange(matrix_, {});
}

std::uint64_t MatrixReader::weight(std::string_view text) const {
  const auto value = core::parse_number<double>(text);
  // NaN fails each comparison.
  if (!value || !(*value >= 0 && *value <= static_cast<double>(most_weight)) || *value != std::floor(*value))
    fail("found '{}', expected a whole number of 0 to 2^53", core::excerpt(text));
  return static_cast<std::uint64_t>(*value);
}

bool has_extension(std::string_view path, std::string_view extension) {
  if (path.ends_with(".zst")) path.remove_suffix(4);
  return path.ends_with(extension) && path.size() > extension.size() && path[path.size() - extension.size() - 1] == '.';
}

}  // namespace toroid::workloads
