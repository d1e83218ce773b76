#pragma once
// Distributions of statistics: quantiles, and the chances to be beyond a value.

namespace toroid::core {

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
