#pragma once
// Tests of differences by ranks, without assumptions about distributions, intervals of means, and correlations. Values
// that differ by less than 1e-9 of their size count as equal: runs that differ only by rounding are ties.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace toroid::study {

using Sample = std::vector<double>;

/// Whether two values differ by rounding only.
bool nearly_equal(double a, double b);

/// The rank of each value, from 1; equal values share the mean of their ranks.
std::vector<double> mid_ranks(std::span<const double> values);

struct KruskalWallis {
  double h;  ///< corrected for ties
  double degrees_of_freedom;
  double p;  ///< by the chi-squared distribution, which is rough for samples below 5
};

/// Do all samples come from one distribution? (Kruskal and Wallis 1952.) At least two samples, none empty. With all
/// values equal, h = 0 and p = 1.
KruskalWallis kruskal_wallis(const std::vector<Sample>& samples);

/// Two-sided p of the Mann-Whitney U test: does one sample tend to larger values than the other? Exact, ties included
/// (all ways to deal the values out are equally likely), up to 40 values together; above by the normal distribution
/// with corrections for ties and continuity. Neither sample is empty.
double mann_whitney(const Sample& a, const Sample& b);

/// Two-sided exact p of the sign test: is the median of the sample another than `constant`? Equal values are left out.
double sign_test(const Sample& sample, double constant);

/// Two-sided p of Wilcoxon's signed-rank test (1945): of pairs a[i], b[i], does one side tend to be larger? Exact, ties
/// included (all signs of the differences are equally likely), up to 200 pairs; above by the normal distribution with
/// corrections for ties and continuity. Equal pairs are left out. As many of the one as of the other.
double signed_rank(std::span<const double> a, std::span<const double> b);

/// The least p that these tests can give without ties, reached when the values do not overlap; the signed-rank test's
/// is that of the sign test.
double least_mann_whitney(std::size_t a, std::size_t b);
double least_sign_test(std::size_t n);

struct Interval {
  double low, high;
};
/// 95 % confidence intervals by Student's t, which takes the values for normally distributed: of the mean of what the
/// values are drawn from, and of the difference of two means, of `a` minus of `b`, whose values are drawn
/// independently (Welch 1947). Nothing for less than two values.
std::optional<Interval> interval_of_mean(std::span<const double> values);
std::optional<Interval> interval_of_difference(std::span<const double> a, std::span<const double> b);

/// The mean of a series whose neighbours may be alike: is it another than 0?
struct MeanOfSeries {
  double effective;   ///< so many independent values would tell as much of the mean
  double p;           ///< two-sided, by Student's t with as many less one degrees of freedom
  Interval interval;  ///< 95 %, by the same
};
/// The series is taken for an autoregressive one of first order, in which n values with a correlation of r from one to
/// the next are worth n (1 - r) / (1 + r) (Zwiers, von Storch 1995). What a short series hides of r, (1 + 4 r) / n
/// (Kendall 1954), is added; below 0 it counts as 0. Nothing if they are worth less than two.
std::optional<MeanOfSeries> mean_of_series(std::span<const double> series);

/// How often a value of `a` is below one of `b`, over all pairs, equal ones counting half: 0 to 1.
double share_below(std::span<const double> a, std::span<const double> b);

/// The same of pairs a[i], b[i], weighted with the ranks of their differences as signed_rank does: 0.5 says that
/// neither side tends to be larger.
double paired_share_below(std::span<const double> a, std::span<const double> b);

/// p-values such that the chance to find any difference that is not there stays below the level, however many are
/// looked for (Holm 1979). In the order given.
std::vector<double> holm(std::span<const double> p);

/// Correlation of the values and of their ranks, -1 to 1. Nothing below three pairs or if either is constant.
std::optional<double> pearson(std::span<const double> x, std::span<const double> y);
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);  ///< of a sample (n-1): two values at least
double median(Sample values);

}  // namespace toroid::study
