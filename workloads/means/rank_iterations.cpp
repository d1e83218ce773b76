#include "workloads/means/rank_iterations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace toroid::workloads {
namespace {

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

Spread spread_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Spread spread{sum_of(values) / count};
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

RankIterations::RankIterations(const ProgramCode& code) {
  constexpr std::size_t most_bytes = std::size_t{1} << 24U;  // an item has one or more
  if (code.block().items.size() > most_bytes) return;
  for (ProgramCode::Reader reader(code); !reader.at_end();) {
    if (reader.at_computation()) {
      amounts_.push_back(reader.amount());
    } else {
      numbers_.push_back(reader.number());
      begins_.push_back(amounts_.size());
    }
  }
  part_ = core::repetition_in(numbers_);
  vary_ = exist() && !compute_alike();
}

bool RankIterations::compute_alike() const {
  constexpr auto of_operations = std::uint64_t{0xfff8} << 48U;  // no amount has these bits
  std::vector<std::uint64_t> items;
  for (auto k = part_.first; k < part_.end; ++k) {
    if (k > part_.first)
      for (const double amount : before(k)) items.push_back(std::bit_cast<std::uint64_t>(amount));
    items.push_back(of_operations | numbers_[k]);
  }
  return 2 * core::smallest_period(items) <= items.size();
}

double RankIterations::sum_before(std::size_t k, std::size_t end) const {
  return sum_of(std::span(amounts_).subspan(begins_[k], begins_[end] - begins_[k]));
}

Spread RankIterations::spread_before(std::size_t place) const {
  std::vector<double> sums;
  for (auto k = first_at(place); k < part_.end; k += part_.period) sums.push_back(sum_of(before(k)));
  return spread_of(sums);
}

std::vector<double> RankIterations::by_iteration() const {
  std::vector<double> sums;
  for (auto k = part_.first + 1; k + part_.period <= part_.end; k += part_.period)
    sums.push_back(sum_before(k, k + part_.period));
  return sums;
}

/// The differences from the first are averaged, so that the mean of equal amounts is that amount.
std::vector<double> RankIterations::means_before(std::size_t place) const {
  std::size_t most = 0;
  double iterations = 0;
  for (auto k = first_at(place); k < part_.end; k += part_.period, ++iterations)
    most = std::max(most, before(k).size());
  std::vector<double> means;
  for (std::size_t i = 0; i < most; ++i) {
    const auto amount = [&](std::size_t k) { return i < before(k).size() ? before(k)[i] : 0; };
    const double first = amount(first_at(place));
    double differences = 0;
    for (auto k = first_at(place); k < part_.end; k += part_.period) differences += amount(k) - first;
    means.push_back(first + differences / iterations);
  }
  return means;
}

AveragedProgram RankIterations::averaged() const {
  const auto last = part_.end - 1 - part_.first;  // of their operations
  AveragedProgram program{.first = item_of(part_.first), .rest = item_of(part_.end - 1) + 1};
  std::uint64_t items_to_last = 0;
  for (std::size_t place = 0; place < places(); ++place) {
    if (place == last % places()) items_to_last = program.length;
    program.iteration.add_operation(numbers_[part_.first + place]);
    const auto means = means_before((place + 1) % places());
    for (const double mean : means) program.iteration.add_computation(mean);
    program.length += 1 + means.size();
  }
  program.iteration.shrink_to_fit();
  program.end = program.first + last / places() * program.length + items_to_last + 1;
  return program;
}

}  // namespace toroid::workloads
