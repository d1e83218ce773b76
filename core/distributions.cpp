#include "core/distributions.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace toroid::core {

double normal_quantile(double chance) {
  return quantile(boost::math::normal(), chance);
}

double student_quantile(double degrees, double chance) {
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
