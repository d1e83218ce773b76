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
  double p;  ///< the p by the chi-squared distribution, which is rough for samples below 5
};

/// The test of Kruskal and Wallis (1952): do all samples come from one distribution? There must be at least two
/// samples, none of them empty. If all values are equal, h = 0 and p = 1.
KruskalWallis kruskal_wallis(const std::vector<Sample>& samples);

/// Two-sided p of the Mann-Whitney U test: does one sample tend to larger values than the other? Up to 40 values
/// together p is exact, ties included (all ways to deal the values out are equally likely); above it comes from the
/// normal distribution with corrections for ties and continuity. Neither sample may be empty.
double mann_whitney(const Sample& a, const Sample& b);

/// Two-sided exact p of the sign test: is the median of the sample another than `constant`? Equal values are left out.
double sign_test(const Sample& sample, double constant);

/// Two-sided p of Wilcoxon's signed-rank test (1945): does one side of the pairs a[i], b[i] tend to be larger? Up to
/// 200 pairs p is exact, ties included (all signs of the differences are equally likely); above it comes from the
/// normal distribution with corrections for ties and continuity. Equal pairs are left out. Both have the same length.
double signed_rank(std::span<const double> a, std::span<const double> b);

/// The least p that a test can give without ties, reached when the values do not overlap. For the signed-rank test it
/// is that of the sign test.
double least_mann_whitney(std::size_t a, std::size_t b);
double least_sign_test(std::size_t n);

struct Interval {
  double low, high;
};
/// How often an interval holds what it is for, unless another share is given.
inline constexpr double usual_confidence = 0.95;
/// The confidence interval of the mean of the distribution that the values are drawn from, and that of the mean of
/// `a`'s distribution minus that of `b`'s, which are drawn independently (Welch 1947). Both use Student's t, which
/// takes the values for normally distributed. Nothing for less than two values.
std::optional<Interval> interval_of_mean(std::span<const double> values, double confidence = usual_confidence);
std::optional<Interval> interval_of_difference(std::span<const double> a, std::span<const double> b,
                                               double confidence = usual_confidence);

/// How much one side is above the other, with the confidence interval: the shifts that the test does not reject. There
/// is no interval where so few values reject none.
struct Shift {
  double value;
  std::optional<Interval> interval;
};
// The estimates of Hodges and Lehmann (1963), which go with the three tests by ranks. Of more than 2,000 values of a
// side every so-many-th takes part. Values and intervals count all runs, the tests leave equal ones out (or let them
// share a rank): with ties an interval is too wide rather than too narrow, and may end at a shift that its test
// rejects.

/// The median of the differences between each value of `a` and each of `b`; the interval of the Mann-Whitney test.
Shift shift_of_samples(std::span<const double> a, std::span<const double> b, double confidence = usual_confidence);
/// The median of the means of each two of the differences a[i] - b[i], each with itself included; the interval of the
/// signed-rank test.
Shift shift_of_pairs(std::span<const double> a, std::span<const double> b, double confidence = usual_confidence);
/// The median of the sample, minus `constant`; the interval of the sign test.
Shift shift_from_constant(std::span<const double> sample, double constant, double confidence = usual_confidence);

/// How many runs of each side (or pairs, or runs of the sample), none of them equal, a test needs to find what a share
/// of those below says (Noether 1987): with a probability of 80 %, at a level of significance `alpha`. The share is
/// that of share_below(), paired_share_below(), or below the constant; the factor is that of the test. Nothing if the
/// share is a half: there is nothing to find.
std::optional<double> runs_to_find(double share_below, double alpha, double factor);
inline constexpr double factor_of_mann_whitney = 6, factor_of_signed_rank = 3, factor_of_sign_test = 4;

/// The test whether the mean of a series is another than 0, where successive values may be correlated.
struct MeanOfSeries {
  double effective;   ///< how many independent values would determine the mean as well
  double p;           ///< two-sided, by Student's t with `effective` - 1 degrees of freedom
  Interval interval;  ///< confidence interval of the mean, by the same t
};
/// Tests the mean of a series, which is taken for an autoregressive one of first order: n values with a correlation r
/// from one to the next are worth n (1 - r) / (1 + r) independent ones (Zwiers, von Storch 1995). The bias of r in a
/// short series, (1 + 4 r) / n (Kendall 1954), is added to it; an r below 0 counts as 0. Returns nothing if the values
/// are worth less than two.
std::optional<MeanOfSeries> mean_of_series(std::span<const double> series, double confidence = usual_confidence);

/// How often a value of `a` is below one of `b`, over all pairs, equal ones counting half: 0 to 1.
double share_below(std::span<const double> a, std::span<const double> b);

/// The share of pairs a[i], b[i] in which a is below b, weighted with the ranks of their differences as signed_rank()
/// does, 0 to 1: at 0.5 neither side tends to be larger.
double paired_share_below(std::span<const double> a, std::span<const double> b);

/// The p-values, in the order given, corrected for their number (Holm 1979): at a level of significance alpha, the
/// probability to find any difference that does not exist is at most alpha.
std::vector<double> holm(std::span<const double> p);

/// The correlation of values (pearson) or of their ranks (spearman), -1 to 1; nothing for less than three pairs, or if
/// `x` or `y` is constant.
std::optional<double> pearson(std::span<const double> x, std::span<const double> y);
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

double mean(std::span<const double> values);
double standard_deviation(
    std::span<const double> values);  ///< that of a sample (divided by n-1), which has at least two values
double median(Sample values);

}  // namespace toroid::study
