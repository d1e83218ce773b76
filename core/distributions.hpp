#pragma once
// Quantiles of values; and distributions of statistics: their quantiles, and the chances to be beyond a value.

#include <vector>

namespace toroid::core {

/// The value below which that share of the values is, from 0 to 1: between two values in proportion (type 7 of Hyndman
/// and Fan, The American Statistician 50 (1996)). The values are sorted, and at least one.
double quantile(const std::vector<double>& sorted, double share);

/// A quantile of values each of which stands for a group of as many values around it, such as their mean (type 5).
double quantile_of_groups(const std::vector<double>& sorted, double share);

/// The value below which a normally distributed one, of mean 0 and deviation 1, is with that chance, above 0 and
/// below 1.
double normal_quantile(double chance);

/// The value below which Student's t is with that chance. Its degrees of freedom are above 0, and need not be whole.
double student_quantile(double degrees, double chance);
/// The chance that Student's t with so many degrees of freedom is above a value.
double student_above(double degrees, double value);

/// The chance that chi-squared with so many degrees of freedom is above a value.
double chi_squared_above(double degrees, double value);

/// The chance that the F of two variances with so many degrees of freedom is above a value.
double fisher_above(double degrees, double other_degrees, double value);

/// The chance that at most `most` of so many tosses of a coin are heads.
double coin_at_most(double tosses, double most);

}  // namespace toroid::core
