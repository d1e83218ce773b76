#pragma once
// Quantiles of values.

#include <vector>

namespace toroid::core {

/// The value below which that share of the values is, from 0 to 1: between two values in proportion (type 7 of Hyndman
/// and Fan, The American Statistician 50 (1996)). The values are sorted, and at least one.
double quantile(const std::vector<double>& sorted, double share);

/// A quantile of values each of which stands for a group of as many values around it, such as their mean (type 5).
double quantile_of_groups(const std::vector<double>& sorted, double share);

}  // namespace toroid::core
