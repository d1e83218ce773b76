#include "core/distributions.hpp"

#include "toroid/core/assert.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cstddef>

namespace toroid::core {
namespace {

/// What stands at a place among sorted values, from 0 on: between two of them in proportion.
double value_at(const std::vector<double>& sorted, double place) {
  TOROID_ASSERT(!sorted.empty());
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(sorted));
  const double last = static_cast<double>(sorted.size() - 1), at = std::clamp(place, 0.0, last);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double quantile(const std::vector<double>& sorted, double share) {
  TOROID_ASSERT(share >= 0 && share <= 1);
  return value_at(sorted, share * static_cast<double>(sorted.size() - 1));
}

double quantile_of_groups(const std::vector<double>& sorted, double share) {
  return value_at(sorted, share * static_cast<double>(sorted.size()) - 0.5);
}

double normal_quantile(double chance) {
  TOROID_ASSERT(chance > 0 && chance < 1);
  return quantile(boost::math::normal(), chance);
}

double student_quantile(double degrees, double chance) {
  TOROID_ASSERT(degrees > 0 && chance > 0 && chance < 1);
  return quantile(boost::math::students_t(degrees), chance);
}

double student_above(double degrees, double value) {
  return cdf(complement(boost::math::students_t(degrees), value));
}

double chi_squared_above(double degrees, double value) {
  return cdf(complement(boost::math::chi_squared(degrees), value));
}

double fisher_above(double degrees, double other_degrees, double value) {
  return cdf(complement(boost::math::fisher_f(degrees, other_degrees), value));
}

double coin_at_most(double tosses, double most) {
  return cdf(boost::math::binomial(tosses, 0.5), most);
}

}  // namespace toroid::core
