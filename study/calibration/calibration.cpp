#include "study/calibration/calibration.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "core/units.hpp"
#include "toroid/core/error.hpp"

namespace toroid::study {
namespace {

using platforms::Machine;

struct Shape {
  bool base = true, latency = true, bandwidth = true;  ///< false: kept as the machine has them
  bool own_latencies = false, own_bandwidths = false;  ///< one for each dimension
  bool handshake = false;                              ///< a step where it fits best
  std::optional<std::uint64_t> eager_limit = {};       ///< the step is above this size
  std::optional<Interval> no_base = {};  ///< the base latency is 0, as the fit was below it by chance; its interval
};

/// What a fit may have more than the plainest, and the level of the F test by which a fit keeps it.
struct Freedom {
  bool Shape::*has;
  double level;
};
constexpr std::array freedoms{Freedom{&Shape::handshake, 0.001},  // the best of many steps
                              Freedom{&Shape::own_latencies, 0.01}, Freedom{&Shape::own_bandwidths, 0.01}};

struct Fit {
  Shape shape;
  Regression regression = {};
  std::vector<std::size_t> latency_columns = {},
                           bandwidth_columns = {};  ///< the columns, by position in the fit's dimensions
  std::size_t handshake_column = 0;
  std::vector<double> times = {};  ///< seconds by the fit, of each measurement
};

/// A fitted value as a machine file should have it: five digits say more than any measurement.
double rounded(double value) {
  return std::stod(fmt::format("{:.5g}", value));
}

class Fitter {
 public:
  Fitter(const Machine& machine, std::span<const Measurement> measurements, const std::vector<std::string>& keep)
      : machine_(machine), measurements_(measurements.begin(), measurements.end()) {
    for (const auto& name : keep) keep_property(name);
    refuse_odd_machines();
    collect();
    refuse_poor_data();
  }

  Calibration run() {
    refuse_lost(fit(shape_));
    // Weights by measured times alone make times that are short by chance count more, so the fit is below all of them.
    const auto times = simplest().times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto measured = measurements_[i].seconds;
      weights_[i] = std::pow(std::clamp(times[i], measured / 2, measured * 2), -2);
    }
    return result_of(without_negative(simplest()));
  }

 private:
  void keep_property(const std::string& name) {
    static const std::map<std::string_view, bool Shape::*> fitted{
        {"base-latency", &Shape::base}, {"latency", &Shape::latency}, {"bandwidth", &Shape::bandwidth}};
    const auto found = fitted.find(name);
    if (found == fitted.end())
      core::fail_input("--keep: found '{}', expected base-latency, latency or bandwidth", name);
    shape_.*found->second = false;
  }

  void refuse_odd_machines() const {
    for (const auto& dimension : machine_.description().dimensions)
      if (!dimension.exceptions.empty())
        core::fail_input(
            "{} has links that differ along {}; expected a machine with one latency and one bandwidth for each "
            "dimension",
            machine_.name(), dimension.name);
  }

  void collect() {
    std::set<std::size_t> used;
    for (const auto& m : measurements_) {
      const auto hops = machine_.hops_per_dimension(m.from, m.to);
      std::vector<std::int32_t> row;
      for (std::size_t d = 0; d < dimensions(); ++d) {
        row.push_back(hops[d]);
        if (hops[d] > 0) used.insert(d);
      }
      hops_.push_back(std::move(row));
      weights_.push_back(1 / (m.seconds * m.seconds));
      sizes_.insert(m.bytes);
    }
    steps_ = sizes_;
    if (!steps_.empty()) steps_.erase(*steps_.rbegin());
    used_.assign(used.begin(), used.end());
  }

  std::size_t dimensions() const { return machine_.description().dimensions.size(); }
  std::int32_t hops(std::size_t i) const { return std::accumulate(hops_[i].begin(), hops_[i].end(), std::int32_t{0}); }

  void refuse_poor_data() const {
    if (measurements_.size() < 6) core::fail_input("found {} measurements, expected at least 6", measurements_.size());
    std::set<std::int32_t> distances;
    for (std::size_t i = 0; i < measurements_.size(); ++i) distances.insert(hops(i));
    if (shape_.bandwidth && sizes_.size() < 2)
      core::fail_input(
          "all messages have {} bytes, which cannot tell bandwidth from latency; expected at least two sizes, or "
          "--keep bandwidth",
          *sizes_.begin());
    if (shape_.base && shape_.latency && distances.size() < 2)
      core::fail_input(
          "all nodes are {} hop{} apart, which cannot tell the latency of a hop from the base latency; expected at "
          "least two distances, or --keep latency or --keep base-latency",
          *distances.begin(), *distances.begin() == 1 ? "" : "s");
  }

  void refuse_lost(const Fit& fit) const {
    if (fit.regression.lost.empty()) return;
    core::fail_input(
        "the measurements cannot tell latencies and bandwidths apart: sizes and distances change together; expected "
        "each size over several distances");
  }

  /// The dimension whose links are the narrowest on the route of measurement i, as far as is known; its position in
  /// used_.
  std::size_t narrowest(std::size_t i, const std::vector<double>& inverse) const {
    std::size_t found = used_.size();
    for (std::size_t u = 0; u < used_.size(); ++u)
      if (hops_[i][used_[u]] > 0 && (found == used_.size() || inverse[u] > inverse[found])) found = u;
    return found == used_.size() ? 0 : found;  // within a router: any
  }

  /// Whether each dimension has routes along it alone with two sizes: only then is its bandwidth told from others.
  bool tells_bandwidths_apart() const {
    if (!shape_.bandwidth || used_.size() < 2) return false;
    return std::ranges::all_of(used_, [&](std::size_t d) {
      std::set<std::uint64_t> sizes;
      for (std::size_t i = 0; i < hops_.size(); ++i)
        if (hops_[i][d] > 0 && hops_[i][d] == hops(i)) sizes.insert(measurements_[i].bytes);
      return sizes.size() >= 2;
    });
  }

  /// The bytes that links carried in measurement i.
  double on_links(std::size_t i) const {
    const auto bytes = measurements_[i].bytes;
    return static_cast<double>(bytes) + static_cast<double>(machine_.description().router.headers(bytes));
  }

  /// What the cores at both ends take of a message.
  double on_cores() const { return 2 * machine_.parameters().overhead; }

  /// The seconds of measurement i that are not fitted, as the machine has them.
  double kept_seconds(std::size_t i, const Shape& shape) const {
    double seconds = on_cores() + (shape.base || shape.no_base ? 0 : machine_.parameters().base_latency);
    if (!shape.latency)
      for (std::size_t d = 0; d < dimensions(); ++d)
        seconds += hops_[i][d] * machine_.description().dimensions[d].latency;
    if (!shape.bandwidth) seconds += on_links(i) / machine_.route_bandwidth(measurements_[i].from, measurements_[i].to);
    return seconds;
  }

  Fit fit(const Shape& shape) const {
    if (!shape.own_bandwidths) return fit(shape, std::vector<double>(used_.size(), 0.0));
    // Which dimension is the narrowest of a route depends on the fit: again until that stays.
    std::vector<double> inverse(used_.size(), 0.0);
    auto found = fit(shape, inverse);
    for (int round = 0; round < 20 && found.regression.lost.empty(); ++round) {
      std::vector<double> next;
      for (const auto column : found.bandwidth_columns) next.push_back(found.regression.coefficients[column].value);
      if (next == inverse) break;
      inverse = next;
      found = fit(shape, inverse);
    }
    return found;
  }

  Fit fit(const Shape& shape, const std::vector<double>& inverse) const {
    Fit found{shape};
    std::size_t columns = shape.base ? 1 : 0;
    if (shape.latency)
      for (std::size_t u = 0; u < (shape.own_latencies ? used_.size() : 1); ++u)
        found.latency_columns.push_back(columns++);
    if (shape.bandwidth)
      for (std::size_t u = 0; u < (shape.own_bandwidths ? used_.size() : 1); ++u)
        found.bandwidth_columns.push_back(columns++);
    if (shape.eager_limit) found.handshake_column = columns++;

    std::vector<std::vector<double>> rows;
    std::vector<double> y;
    for (std::size_t i = 0; i < measurements_.size(); ++i) {
      std::vector<double> row(columns, 0.0);
      if (shape.base) row[0] = 1;
      if (shape.latency)
        for (std::size_t u = 0; u < used_.size(); ++u)
          row[found.latency_columns[shape.own_latencies ? u : 0]] += hops_[i][used_[u]];
      if (shape.bandwidth) row[found.bandwidth_columns[shape.own_bandwidths ? narrowest(i, inverse) : 0]] = on_links(i);
      if (shape.eager_limit) row[found.handshake_column] = measurements_[i].bytes > *shape.eager_limit ? 1 : 0;
      rows.push_back(std::move(row));
      y.push_back(measurements_[i].seconds - kept_seconds(i, shape));
    }
    if (columns == 0) core::fail_input("--keep keeps every property; expected one to be fitted");
    if (rows.size() <= columns) {
      found.regression.lost.push_back(0);
      return found;
    }
    found.regression = least_squares(rows, y, weights_);
    for (std::size_t i = 0; i < rows.size() && found.regression.lost.empty(); ++i) {
      found.times.push_back(kept_seconds(i, shape));
      for (std::size_t c = 0; c < columns; ++c) found.times[i] += rows[i][c] * found.regression.coefficients[c].value;
    }
    return found;
  }

  /// The fit that has only what it needs. From the fit with all freedoms that the data can tell, freedoms go one by one
  /// that fit better by chance alone. They begin together, as a step is not seen beside a wrong bandwidth.
  Fit simplest() {
    std::array<std::optional<Fit>, 1U << freedoms.size()> fits;  // by the bits of their freedoms
    unsigned bits = 0;  // of the most freedoms; where no step makes times longer, of those without one
    for (unsigned b = fits.size(); b-- > 0;) {
      auto shape = shape_;
      for (std::size_t f = 0; f < freedoms.size(); ++f) shape.*freedoms[f].has = (b >> f & 1U) != 0;
      if (shape.own_bandwidths && !tells_bandwidths_apart()) continue;
      if (shape.own_latencies && (!shape.latency || used_.size() < 2)) continue;
      fits[b] = shape.handshake ? with_step(shape) : fit(shape);
      if (!fits[b]->regression.lost.empty()) {
        fits[b].reset();
        continue;
      }
      if (shape.handshake) steps_ = {*fits[b]->shape.eager_limit};  // where it fits best beside the most freedoms
      if (std::popcount(b) > std::popcount(bits)) bits = b;
    }
    while (true) {
      auto next = bits;
      double likeliest = 1;  // p over its level
      for (std::size_t f = 0; f < freedoms.size(); ++f) {
        const auto without = bits & ~(1U << f);
        if (without == bits || !fits[without]) continue;
        const double p =
            is_exact(*fits[without]) ? 1 : p_of_larger_model(fits[without]->regression, fits[bits]->regression);
        if (p < likeliest * freedoms[f].level) continue;
        likeliest = p / freedoms[f].level;
        next = without;
      }
      if (next == bits) return *fits[bits];
      bits = next;
    }
  }

  /// The fit whose step is where it fits best; one with lost coefficients if there is none that makes times longer.
  Fit with_step(Shape shape) const {
    Fit best{shape};
    best.regression.lost = {0};
    for (const auto size : steps_) {
      shape.eager_limit = size;
      auto tried = fit(shape);
      if (!tried.regression.lost.empty() || tried.regression.coefficients[tried.handshake_column].value <= 0) continue;
      if (!best.shape.eager_limit || tried.regression.squares < best.regression.squares) best = std::move(tried);
    }
    return best;
  }

  /// Whether a fit leaves nothing but rounding: data from a model, not from a clock.
  bool is_exact(const Fit& fit) const {
    return fit.regression.squares < 1e-18 * static_cast<double>(measurements_.size());
  }

  /// Times may not fall with distance or size. A base latency that is below 0 by chance is 0, and the others are fitted
  /// again.
  Fit without_negative(Fit found) const {
    const auto& coefficients = found.regression.coefficients;
    const auto refuse = [&](std::size_t column, std::string_view what) {
      const auto& c = coefficients[column];
      if (c.interval.high < 0)
        core::fail_input(
            "the measurements contradict the model: by them {} is {} (95 % confidence interval {} to {}), below 0",
            what, signed_duration(c.value), signed_duration(c.interval.low), signed_duration(c.interval.high));
    };
    for (const auto column : found.bandwidth_columns)
      if (coefficients[column].value <= 0)
        core::fail_input(
            "by the measurements larger messages take no more time, which gives no bandwidth; expected larger "
            "messages");
    for (const auto column : found.latency_columns) refuse(column, "the latency of a hop");
    if (!found.shape.base) return found;
    refuse(0, "the base latency");
    if (coefficients[0].value >= 0) return found;
    auto shape = found.shape;
    shape.base = false;
    shape.no_base = Interval{0, coefficients[0].interval.high};
    return fit(shape);
  }

  static std::string signed_duration(double seconds) {
    return fmt::format("{}{}", seconds < 0 ? "-" : "", core::format_duration(std::abs(seconds)));
  }

  Calibration result_of(const Fit& found) const {
    Calibration result;
    result.machine = machine_.description();
    auto& m = result.machine;
    const auto& coefficients = found.regression.coefficients;
    const auto at_least_zero = [](Coefficient c) {
      return Coefficient{std::max(c.value, 0.0), {std::max(c.interval.low, 0.0), std::max(c.interval.high, 0.0)}};
    };
    if (found.shape.base || found.shape.no_base) {
      const auto c = found.shape.base ? at_least_zero(coefficients[0]) : Coefficient{0, *found.shape.no_base};
      result.properties.push_back({"base-latency", false, c, m.node.base_latency});
      m.node.base_latency = rounded(c.value);
    }
    add_latencies(result, found, at_least_zero);
    add_bandwidths(result, found);
    if (found.shape.eager_limit) {
      const auto c = at_least_zero(coefficients[found.handshake_column]);
      result.handshake = Handshake{*found.shape.eager_limit, *sizes_.upper_bound(*found.shape.eager_limit), c};
      result.properties.push_back({"handshake", false, c, m.node.handshake});
      m.node.handshake = rounded(c.value);
    }
    for (const auto& fitted : result.properties) m.provenance.sources[fitted.property] = platforms::Source::measured;
    add_deviations(result, found);
    return result;
  }

  template <class AtLeastZero>
  void add_latencies(Calibration& result, const Fit& found, AtLeastZero at_least_zero) const {
    auto& dims = result.machine.dimensions;
    for (std::size_t u = 0; u < found.latency_columns.size(); ++u) {
      const auto c = at_least_zero(found.regression.coefficients[found.latency_columns[u]]);
      const bool own = found.shape.own_latencies;
      const auto before = dims[own ? used_[u] : used_.front()].latency;
      result.properties.push_back(
          {own ? fmt::format("{}.latency", machine_.grid().name(used_[u])) : "latency", false, c, before});
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (!own || d == used_[u]) dims[d].latency = rounded(c.value);
    }
    note_unmeasured(result, found.shape.own_latencies && !found.latency_columns.empty(), "latency");
  }

  void add_bandwidths(Calibration& result, const Fit& found) const {
    auto& dims = result.machine.dimensions;
    double widest = 0;
    for (std::size_t u = 0; u < found.bandwidth_columns.size(); ++u) {
      const auto& c = found.regression.coefficients[found.bandwidth_columns[u]];
      const bool own = found.shape.own_bandwidths;
      const auto first = own ? used_[u] : used_.front();
      // The interval of an inverse turns round, and has no end if the inverse may be 0.
      const double high = c.interval.low > 0 ? 1 / c.interval.low : std::numeric_limits<double>::infinity();
      const Coefficient rate{1 / c.value, {1 / c.interval.high, high}};
      widest = std::max(widest, rate.value);
      const auto links = static_cast<double>(dims[first].links);
      result.properties.push_back({own ? fmt::format("{}.bandwidth", machine_.grid().name(first)) : "bandwidth",
                                   true,
                                   {rate.value / links, {rate.interval.low / links, rate.interval.high / links}},
                                   dims[first].bandwidth});
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (!own || d == first) dims[d].bandwidth = rounded(rate.value / static_cast<double>(dims[d].links));
    }
    note_unmeasured(result, found.shape.own_bandwidths, "bandwidth");
    auto& node = result.machine.node;
    if (std::min(node.injection_bandwidth, node.ejection_bandwidth) < widest) {
      node.injection_bandwidth = std::max(node.injection_bandwidth, rounded(widest));
      node.ejection_bandwidth = std::max(node.ejection_bandwidth, rounded(widest));
      result.notes.push_back(fmt::format(
          "a node's injection and ejection bandwidth rise to {}, or the measured messages could not be that fast",
          core::format_bandwidth(widest)));
    }
    if (!found.bandwidth_columns.empty())
      result.notes.emplace_back(
          "one message at a time cannot tell the bandwidth of links from that of a node's ports: if the ports are the "
          "narrower ones, the links have more");
  }

  void note_unmeasured(Calibration& result, bool own, std::string_view what) const {
    if (!own) return;
    std::vector<std::string> names;
    for (std::size_t d = 0; d < dimensions(); ++d)
      if (std::ranges::find(used_, d) == used_.end()) names.push_back(machine_.grid().name(d));
    if (!names.empty())
      result.notes.push_back(
          fmt::format("no measurement goes along {}: its {} stays as it was", core::join(names), what));
  }

  void add_deviations(Calibration& result, const Fit& found) const {
    const Machine fitted(result.machine);
    for (std::size_t i = 0; i < measurements_.size(); ++i) {
      const auto& m = measurements_[i];
      const auto path = fitted.path(m.from, m.to);
      double seconds = on_cores() + path.latency + on_links(i) / path.bandwidth;
      if (found.shape.eager_limit && m.bytes > *found.shape.eager_limit) seconds += result.handshake->seconds.value;
      result.deviations.push_back({m, hops(i), seconds});
    }
  }

  const Machine& machine_;
  std::vector<Measurement> measurements_;
  std::vector<double> weights_;
  std::vector<std::vector<std::int32_t>> hops_;  ///< the hops between the nodes, by measurement and dimension
  std::vector<std::size_t> used_;                ///< the dimensions that some route goes along
  std::set<std::uint64_t> sizes_;                ///< the sizes of all messages
  std::set<std::uint64_t> steps_;                ///< the sizes above which there may be a step
  Shape shape_;
};

}  // namespace

double Calibration::mean_deviation() const {
  double sum = 0;
  for (const auto& d : deviations) sum += std::abs(d.relative());
  return sum / static_cast<double>(deviations.size());
}

std::vector<platforms::PropertyInterval> Calibration::intervals() const {
  std::vector<platforms::PropertyInterval> all;
  for (const auto& p : properties)
    if (std::isfinite(p.value.interval.high))
      all.push_back({p.property, p.is_bandwidth ? platforms::Quantity::bandwidth : platforms::Quantity::duration,
                     rounded(p.value.interval.low), rounded(p.value.interval.high), rounded(p.value.value)});
  return all;
}

const Residual& Calibration::worst() const {
  return *std::ranges::max_element(
      deviations, [](const Residual& a, const Residual& b) { return std::abs(a.relative()) < std::abs(b.relative()); });
}

Calibration calibrate(const Machine& machine, std::span<const Measurement> measurements,
                      const std::vector<std::string>& keep) {
  return Fitter(machine, measurements, keep).run();
}

}  // namespace toroid::study
