#include "netsim/repeats/sampling_plan.hpp"

#include <cmath>

#include "core/distributions.hpp"

namespace toroid::netsim {
namespace {

constexpr std::uint64_t first_window = 8;
constexpr std::uint64_t cluster_length = 4;
constexpr std::uint64_t settling = 1;  ///< iterations behind a gap that are not measured
/// The least number of clusters. What a program does in some iterations alone is missed where few are measured; where
/// iterations differ by what the network does alone, Student's t makes up for fewer.
constexpr std::size_t least_of_any = 10, least_of_alike = 6;
constexpr double margin = 0.9;  ///< of the width, for what clusters to come may add to their deviation
/// The narrowest interval, as a part of the wanted one: what a gap does to the iterations behind it is not in their
/// deviation.
constexpr double narrowest = 0.5;

/// The t of Student's distribution that the confidence is within, and a little more: a sample that ends as soon as its
/// interval is narrow has too narrow a one in up to 2 of 100 cases.
double quantile(double degrees) {
  constexpr double more = 0.02;
  const double tail = (1 - SamplingPlan::confidence - more) / 2;
  return core::student_quantile(degrees, 1 - tail);
}

/// The degrees of freedom of a variance by the squares of successive differences: what a chi-square distribution has
/// with its mean and variance (J. von Neumann and others, Annals of Mathematical Statistics 12, 1941).
double degrees_of_differences(std::size_t values) {
  const auto n = static_cast<double>(values);
  return 2 * (n - 1) * (n - 1) / (3 * n - 4);
}

struct Moments {
  double mean = 0, variance = 0;
};

template <class Values>
Moments moments_of(const Values& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (const auto& value : values) m.mean += value.seconds / n;
  for (const auto& value : values) m.variance += (value.seconds - m.mean) * (value.seconds - m.mean) / (n - 1);
  return m;
}

/// Whether the means of two samples of so many values each differ by no more than by chance, or than anybody minds
/// (B. Welch, Biometrika 34, 1947).
bool agree(const Moments& a, const Moments& b, double count, double minded) {
  const double off = std::abs(a.mean - b.mean), va = a.variance / count, vb = b.variance / count;
  if (off <= minded) return true;
  if (va + vb == 0) return false;
  const double degrees = (va + vb) * (va + vb) * (count - 1) / (va * va + vb * vb);
  return off <= quantile(degrees) * std::sqrt(va + vb);
}

double square(double x) {
  return x * x;
}

}  // namespace

SamplingPlan::SamplingPlan(std::uint64_t iterations, double width)
    : iterations_(iterations),
      width_(width),
      tail_(iterations - std::min(iterations, settling + cluster_length)),
      least_clusters_(least_of_any),
      window_(first_window),
      stopped_(iterations < least_iterations) {}

void SamplingPlan::all_are_alike() {
  if (!warm_up_) least_clusters_ = least_of_alike;
}

std::uint64_t SamplingPlan::left_out() const {
  std::uint64_t sum = 0;
  for (const auto& gap : gaps_) sum += gap.count;
  return sum;
}

std::string SamplingPlan::why_whole() const {
  if (iterations_ < least_iterations) return fmt::format("{} iterations are too few for a sample", iterations_);
  if (!warm_up_) return "ranks do not keep together";
  return "for an interval that narrow a sample has to have all iterations";
}

std::uint64_t SamplingPlan::leave_out(std::uint64_t iteration) {
  if (stopped_ || (!warm_up_ && !has_warmed_up(iteration))) return 0;
  if (iteration < clusters_.back().end || clusters_.back().end == iterations_) return 0;
  auto gap = iteration < tail_ ? next_gap(iteration) : 0;
  auto first = iteration + gap + (gap > 0 ? settling : 0), end = first + cluster_length;
  if (end >= tail_) {
    if (gap > 0) gap = tail_ - iteration;
    first = gap > 0 ? tail_ + settling : iteration;
    end = iterations_;
  }
  clusters_.push_back({.first = first, .end = end});
  before_.push_back(gap);
  if (gap > 0) gaps_.push_back({iteration, gap});
  return gap;
}

void SamplingPlan::completed(std::uint64_t iteration, const History& history, double seconds) {
  if (stopped_) return;
  if (!warm_up_) return warming_.push_back({iteration, seconds, history});
  for (auto cluster = clusters_.rbegin(); cluster != clusters_.rend() && iteration < cluster->end; ++cluster) {
    if (iteration < cluster->first) continue;
    ++cluster->completed;
    cluster->seconds += seconds;
    cluster->history.add(history, 1);
  }
}

/// Ends the warm-up where the last two windows agree, or after an eighth of the program: what is never steady can still
/// be followed. The later window is the first cluster. If they do not agree the earlier one is part of the warm-up, and
/// longer ones come next.
bool SamplingPlan::has_warmed_up(std::uint64_t iteration) {
  if (warming_.size() < 2 * window_) return false;
  const auto last = std::span(warming_).last(2 * window_);
  const auto before = moments_of(last.first(window_)), now = moments_of(last.last(window_));
  const bool has_to_end = iteration > iterations_ / 8;
  if (!has_to_end && !agree(before, now, static_cast<double>(window_), width_ * now.mean)) {
    warming_.erase(warming_.begin(), warming_.end() - static_cast<std::ptrdiff_t>(window_));
    window_ += window_ / 2;
    return false;
  }
  warm_up_ = last.front().iteration;
  Cluster pilot{.first = last[window_].iteration, .end = last.back().iteration + 1};
  for (const auto& one : last.last(window_)) {
    ++pilot.completed;
    pilot.seconds += one.seconds;
    pilot.history.add(one.history, 1);
  }
  clusters_.push_back(pilot);
  before_.push_back(0);
  return true;
}

/// The deviation of means over clusters, estimated from the single iterations of the warm-up's last windows.
double SamplingPlan::deviation_of_pilot() const {
  const auto last = std::span(warming_).last(2 * window_);
  const auto moments = moments_of(last);
  double with_next = 0;
  for (std::size_t i = 0; i + 1 < last.size(); ++i)
    with_next += (last[i].seconds - moments.mean) * (last[i + 1].seconds - moments.mean);
  const auto n = static_cast<double>(last.size());
  const double correlation = moments.variance > 0 ? with_next / ((n - 1) * moments.variance) : 0;
  const double bounded =
      std::clamp(correlation, 0.0, 0.8);  // (1 + r) / (1 - r): the variance of means of an AR(1) series
  return std::sqrt(moments.variance * (1 + bounded) / (1 - bounded) / static_cast<double>(cluster_length));
}

double SamplingPlan::deviation() const {
  double squares = 0;
  std::size_t pairs = 0;
  for (std::size_t k = 0; k + 1 < clusters_.size() && clusters_[k + 1].is_complete(); ++k, ++pairs)
    squares += square(clusters_[k + 1].mean() - clusters_[k].mean());
  return pairs == 0 ? 0 : std::sqrt(squares / (2 * static_cast<double>(pairs)));
}

/// How many iterations to leave out from this one on, so that clusters at equal distances are as few as the width
/// allows. None if it allows none. A gap is half to one and a half of the distance, by lot, so that clusters do not
/// keep in step with anything in the program.
std::uint64_t SamplingPlan::next_gap(std::uint64_t from) {
  const auto rest = static_cast<double>(tail_ - from), step = static_cast<double>(settling + cluster_length);
  const double spread = clusters_.size() < least_clusters_ ? std::max(deviation(), deviation_of_pilot()) : deviation();
  double total = 0, completed = 0, weights = 0, left_out = 0;
  for (std::size_t k = 0; k < clusters_.size(); ++k) {
    total += clusters_[k].seconds;
    completed += static_cast<double>(clusters_[k].completed);
    left_out += static_cast<double>(before_[k]);
    if (k + 1 < clusters_.size()) weights += square(static_cast<double>(before_[k] + before_[k + 1]) / 2);
  }
  const double wanted = margin * width_ * total / completed * static_cast<double>(iterations_);
  const auto distance = [&](double more) { return (rest - more * step) / (more + 1); };
  const auto suffices = [&](double more) {
    const double gap = distance(more);
    const double all = weights + square((static_cast<double>(before_.back()) + gap) / 2) + (more + 0.25) * square(gap) +
                       static_cast<double>(cluster_length) * (left_out + (more + 1) * gap);
    const auto clusters = clusters_.size() + static_cast<std::size_t>(more) + 1;
    return quantile(degrees_of_differences(clusters)) * spread * std::sqrt(all) <= wanted;
  };
  const double most = std::max(0.0, std::floor((rest - 1) / (step + 1)));
  const double least =
      least_clusters_ > clusters_.size() + 1 ? static_cast<double>(least_clusters_ - clusters_.size() - 1) : 0;
  double low = std::min(least, most), high = most;
  if (!suffices(high)) return 0;
  while (low < high) {
    const double middle = std::floor((low + high) / 2);
    if (suffices(middle))
      high = middle;
    else
      low = middle + 1;
  }
  const double by_lot = low > 0 ? 0.5 + random_.unit() : 1;
  const auto gap = static_cast<std::uint64_t>(std::llround(std::min(rest, by_lot * distance(low))));
  return gap > settling ? gap : 0;
}

SamplingPlan::Estimate SamplingPlan::estimate() const {
  Estimate estimate;
  if (gaps_.empty()) return estimate;
  double weights = 0;
  for (std::size_t k = 0; k < clusters_.size(); ++k) {
    TOROID_ASSERT(clusters_[k].is_complete());
    const auto behind = k + 1 < clusters_.size() ? before_[k + 1] : 0;
    const double weight = static_cast<double>(before_[k] + behind) / 2;
    estimate.seconds += weight * clusters_[k].mean();
    estimate.history.add(clusters_[k].history, weight / static_cast<double>(clusters_[k].completed));
    weights += square(weight);
  }
  // Besides that of the means, iterations that are left out have a deviation of their own.
  const double all = weights + static_cast<double>(cluster_length * left_out());
  const double by_deviation = quantile(degrees_of_differences(clusters_.size())) * deviation() * std::sqrt(all);
  estimate.half_width = std::max(by_deviation, narrowest * width_ * estimate.seconds);
  return estimate;
}

}  // namespace toroid::netsim
