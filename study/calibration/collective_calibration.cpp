#include "study/calibration/collective_calibration.hpp"

#include <cmath>
#include <numeric>

#include "core/distributions.hpp"
#include "core/units.hpp"
#include "study/statistics/regression.hpp"
#include "toroid/study/tasks/executor.hpp"

namespace toroid::study {
namespace {

using Values = std::vector<double>;
using Rows = std::vector<Values>;

constexpr double step = 0.2;         ///< the step of a logarithm for derivatives
constexpr double still = 0.003;      ///< steps below this end the fit
constexpr double huber = 1.345;      ///< deviations beyond so many standard deviations count less
constexpr double steadiness = 0.02;  ///< this share of what all times say keeps values still that no time tells
constexpr int most_rounds = 8;

std::string exact_text(const FittedProperty& p, double value) {
  return platforms::PropertyInterval{p.property, p.quantity, value, value, value}.text(value);
}

/// What a value is where a machine has none from which a fit can begin: of some properties, seconds for a byte.
double usual_value(const FittedProperty& p) {
  if (p.property == "copy" || p.property == "reduce" || p.property == "memcpy") return 1e-10;
  return p.quantity == platforms::Quantity::bandwidth ? 10e9 : 1e-6;
}

class CollectiveFitter {
 public:
  CollectiveFitter(const CollectiveCalibrationRequest& request, const std::vector<CollectiveTime>& times)
      : request_(request), times_(times) {
    begin_properties();
    if (times.size() < properties_.size() + 2)
      core::fail_input("found {} times, expected at least {} for {} properties", times.size(), properties_.size() + 2,
                       properties_.size());
    for (const auto& shape : request.shapes) descriptions_.push_back(shape.platform.describe());
    for (const auto& time : times) places_.push_back(place_of(time));
    for (std::size_t i = 0; i < times.size(); ++i) mappings_.push_back(mapping_of(i));
  }

  CollectiveCalibration run() {
    Values at;
    for (const auto& p : properties_) at.push_back(std::log(p.value));
    auto deviations = deviations_at({at})[0];
    auto slopes = slopes_at(at, deviations);
    refuse_without_influence(slopes);
    int rounds = 1;
    for (; rounds < most_rounds && move(at, deviations, slopes); ++rounds) slopes = slopes_at(at, deviations);
    return result_of(at, deviations, slopes, rounds);
  }

 private:
  void begin_properties() {
    const auto all = platforms::all_properties(request_.shapes.front().platform.describe());
    for (const auto& name : request_.properties) {
      const auto full = platforms::canonical_property(name);
      const auto* const help = platforms::find_property(full);
      if (help == nullptr || !help->quantity || *help->quantity == platforms::Quantity::count)
        core::fail_input(
            "--fit: found '{}', expected properties that are times, rates or bandwidths: overhead, latency",
            core::excerpt(name));
      FittedProperty p;
      p.property = full;
      p.quantity = *help->quantity;
      const auto found = std::ranges::find(all, full, &platforms::PropertyValue::property);
      if (found != all.end() && found->value.find('/') == std::string::npos && found->value != "none")
        p.before = platforms::parse_interval(full, found->value + ".." + found->value)->low;
      p.value = p.before && *p.before > 0 ? *p.before : usual_value(p);
      properties_.push_back(std::move(p));
    }
  }

  std::size_t place_of(const CollectiveTime& time) const {
    const auto found = std::ranges::find(request_.shapes, time.shape, &MeasuredShape::name);
    if (found == request_.shapes.end())
      core::fail_input("no machine for the shape '{}'; expected --shape {}=PLATFORM, or --without shape={}",
                       core::excerpt(time.shape), time.shape, time.shape);
    return static_cast<std::size_t>(found - request_.shapes.begin());
  }

  /// log(simulated / measured) of all times, at each place.
  Rows deviations_at(const Rows& at) const {
    const auto work = [&](std::size_t i) {
      auto all = core::Json::array();
      for (const auto& values : at) {
        const double time = simulated(i, values);
        if (!(time > 0)) core::fail_input("nothing in the model makes it take time; expected a latency, or --without");
        all.push_back(std::log(time / times_[i].seconds));
      }
      return all;
    };
    const auto done = run_all("simulating collectives", times_.size(), request_.workers, work, OnFailedTask::stop);
    Rows result(at.size(), Values(times_.size()));
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (done[i].result.is_null())
        core::fail_input("{} of {}: {}", times_[i].curve(), core::format_bytes(static_cast<double>(times_[i].bytes)),
                         done[i].error);
      for (std::size_t k = 0; k < at.size(); ++k) result[k][i] = done[i].result[k];
    }
    return result;
  }

  /// Where the ranks of a time are. Files are read here, not by workers.
  netsim::Mapping mapping_of(std::size_t i) const {
    const platforms::Machine machine(descriptions_[places_[i]]);
    const auto trace = call(times_[i], ranks_of(i, machine));
    const mapping::Traffic traffic(*trace, replay_of(i).collectives);
    return mapping::make_mapping(request_.shapes[places_[i]].mapper, {machine, mapping::all_nodes(machine), traffic});
  }

  std::int32_t ranks_of(std::size_t i, const platforms::Machine& machine) const {
    return times_[i].ranks > 0 ? times_[i].ranks : static_cast<std::int32_t>(mapping::all_nodes(machine).size());
  }

  netsim::ReplayOptions replay_of(std::size_t i) const {
    auto replay = request_.replay;
    if (!times_[i].algorithm.empty())
      replay.collectives = workloads::CollectiveChoice::parse(
          fmt::format("default:{}=({})", to_string(times_[i].kind), times_[i].algorithm));
    return replay;
  }

  double simulated(std::size_t i, const Values& values) const {
    auto description = descriptions_[places_[i]];
    for (std::size_t k = 0; k < values.size(); ++k)
      platforms::set_property(description, properties_[k].property, exact_text(properties_[k], std::exp(values[k])));
    const platforms::Machine machine(description);
    const auto trace = call(times_[i], ranks_of(i, machine));
    return netsim::run_in_process({machine, *trace, mappings_[i], replay_of(i), request_.engine}).runtime;
  }

  static std::unique_ptr<workloads::Trace> call(const CollectiveTime& time, std::int32_t ranks) {
    workloads::TraceBuilder trace(ranks);
    workloads::Operation operation;
    operation.kind = time.kind;
    operation.bytes = time.bytes;
    std::vector<std::uint64_t> blocks;
    if (time.kind == workloads::OpKind::reduce_scatter) {
      for (std::int32_t r = 0; r < ranks; ++r)
        blocks.push_back(time.bytes / static_cast<std::uint64_t>(ranks) +
                         (static_cast<std::uint64_t>(r) < time.bytes % static_cast<std::uint64_t>(ranks) ? 1 : 0));
      operation.recv_counts = blocks;
    }
    for (std::int32_t r = 0; r < ranks; ++r) trace.add(workloads::Rank(r), operation);
    return trace.finished();
  }

  /// The derivatives of the deviations, a row for each time.
  Rows slopes_at(const Values& at, const Values& deviations) const {
    Rows moved(properties_.size(), at);
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k][k] += step;
    const auto there = deviations_at(moved);
    Rows slopes(times_.size(), Values(properties_.size()));
    for (std::size_t i = 0; i < slopes.size(); ++i)
      for (std::size_t k = 0; k < moved.size(); ++k) slopes[i][k] = (there[k][i] - deviations[i]) / step;
    return slopes;
  }

  void refuse_without_influence(const Rows& slopes) const {
    for (std::size_t k = 0; k < properties_.size(); ++k)
      if (std::ranges::none_of(slopes, [&](const Values& row) { return std::abs(row[k]) > 0.01; }))
        core::fail_input("no time follows {}: none changes by 1 % of a change of it; leave it out of --fit",
                         properties_[k].property);
  }

  /// The standard deviation of deviations, as most of them have it.
  static double spread(const Values& deviations) {
    Values sizes;
    for (const auto z : deviations) sizes.push_back(std::abs(z));
    std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
    return std::max(1.4826 * sizes[sizes.size() / 2], 1e-4);
  }

  static Values weights_of(const Values& deviations) {
    const double limit = huber * spread(deviations);
    Values weights;
    for (const auto z : deviations) weights.push_back(std::abs(z) <= limit ? 1 : limit / std::abs(z));
    return weights;
  }

  /// What the fit makes small, with the limit of Huber's that a spread gives.
  static double loss(const Values& deviations, double limit) {
    return std::accumulate(deviations.begin(), deviations.end(), 0.0, [&](double sum, double z) {
      return sum + (std::abs(z) <= limit ? z * z : limit * (2 * std::abs(z) - limit));
    });
  }

  /// One step, or a part of it that makes deviations smaller. Returns whether values have moved.
  bool move(Values& at, Values& deviations, const Rows& slopes) const {
    auto rows = slopes;
    auto target = deviations;
    auto weights = weights_of(deviations);
    for (auto& z : target) z = -z;
    for (std::size_t k = 0; k < at.size(); ++k) {
      double said = 0;
      for (std::size_t i = 0; i < slopes.size(); ++i) said += weights[i] * slopes[i][k] * slopes[i][k];
      rows.emplace_back(at.size(), 0.0)[k] = 1;
      target.push_back(0);
      weights.push_back(steadiness * said + 1e-9);
    }
    const auto found = least_squares(rows, target, weights);
    const double limit = huber * spread(deviations);
    double longest = 0;
    for (const auto& c : found.coefficients) longest = std::max(longest, std::abs(c.value));
    if (!found.lost.empty() || longest < still) return false;
    for (double share = std::min(1.0, 1 / longest); share * longest > still / 2; share /= 3) {
      auto next = at;
      for (std::size_t k = 0; k < at.size(); ++k) next[k] += share * found.coefficients[k].value;
      auto there = deviations_at({next})[0];
      if (loss(there, limit) >= loss(deviations, limit)) continue;
      at = next;
      deviations = std::move(there);
      return share * longest > still;
    }
    return false;
  }

  CollectiveCalibration result_of(const Values& at, const Values& deviations, const Rows& slopes, int rounds) const {
    CollectiveCalibration result{properties_, {}, rounds};
    const auto weights = weights_of(deviations);
    for (std::size_t i = 0; i < times_.size(); ++i)
      result.times.push_back({times_[i], std::exp(deviations[i]) * times_[i].seconds, weights[i]});
    const auto half = half_widths(deviations, slopes, weights);
    for (std::size_t k = 0; k < at.size(); ++k) {
      auto& p = result.properties[k];
      p.value = std::exp(at[k]);
      p.interval = {std::exp(at[k] - half[k]), std::exp(at[k] + half[k])};
      if (!(half[k] < std::log(10)))
        core::fail_input(
            "the times cannot tell {}: values from {} to {} fit as well; leave it out of --fit, or add "
            "times that follow it",
            p.property, p.text(p.interval.low), std::isfinite(half[k]) ? p.text(p.interval.high) : "any");
      p.follows = followed(k, slopes, weights);
    }
    return result;
  }

  /// Half the 90 % interval of each logarithm: the wider of two, from leaving out one curve after the other and
  /// from the scatter of all times.
  Values half_widths(const Values& deviations, const Rows& slopes, const Values& weights) const {
    Values target;
    for (const auto z : deviations) target.push_back(-z);
    const auto whole = least_squares(slopes, target, weights);
    if (!whole.lost.empty()) {
      std::vector<std::string> names;
      for (const auto& p : properties_) names.push_back(p.property);
      core::fail_input(
          "the times cannot tell {} from the other properties ({}): some change alike in all of them; "
          "leave one out of --fit",
          names[whole.lost.front()], core::join(names));
    }
    const auto freedom = static_cast<double>(whole.freedom);
    const double of_95 = core::student_quantile(freedom, 0.975), of_90 = core::student_quantile(freedom, 0.95);
    Values half;
    for (const auto& c : whole.coefficients) half.push_back((c.interval.high - c.interval.low) / 2 * of_90 / of_95);
    const auto curves = curves_of();
    Rows without;
    for (const auto& [name, members] : curves) {
      Rows rows;
      Values y, w;
      for (std::size_t i = 0; i < slopes.size(); ++i)
        if (std::ranges::find(members, i) == members.end()) {
          rows.push_back(slopes[i]);
          y.push_back(target[i]);
          w.push_back(weights[i]);
        }
      if (rows.size() <= properties_.size()) return half;
      const auto fit = least_squares(rows, y, w);
      if (!fit.lost.empty()) return half;  // only this curve tells a value
      Values values;
      for (const auto& c : fit.coefficients) values.push_back(c.value);
      without.push_back(std::move(values));
    }
    const auto n = static_cast<double>(without.size());
    if (without.size() < 3) return half;
    for (std::size_t k = 0; k < half.size(); ++k) {
      double mean = 0, squares = 0;
      for (const auto& values : without) mean += values[k] / n;
      for (const auto& values : without) squares += (values[k] - mean) * (values[k] - mean);
      half[k] = std::max(half[k], core::student_quantile(n - 1, 0.95) * std::sqrt((n - 1) / n * squares));
    }
    return half;
  }

  std::map<std::string, std::vector<std::size_t>> curves_of() const {
    std::map<std::string, std::vector<std::size_t>> curves;
    for (std::size_t i = 0; i < times_.size(); ++i) curves[times_[i].curve()].push_back(i);
    return curves;
  }

  std::vector<std::pair<std::string, double>> followed(std::size_t k, const Rows& slopes, const Values& weights) const {
    std::vector<std::pair<std::string, double>> shares;
    double all = 0;
    for (const auto& [name, members] : curves_of()) {
      double sum = 0;
      for (const auto i : members) sum += weights[i] * slopes[i][k] * slopes[i][k];
      shares.emplace_back(name, sum);
      all += sum;
    }
    for (auto& [name, share] : shares) share /= all;
    std::ranges::stable_sort(shares, std::greater(), [](const auto& one) { return one.second; });
    return shares;
  }

  const CollectiveCalibrationRequest& request_;
  const std::vector<CollectiveTime>& times_;
  std::vector<FittedProperty> properties_;
  std::vector<platforms::Description> descriptions_;  ///< the machine of each shape
  std::vector<std::size_t> places_;                   ///< the number of the shape of each time
  std::vector<netsim::Mapping> mappings_;             ///< where the ranks of each time are
};

}  // namespace

std::string FittedProperty::text(double of) const {
  return exact_text(*this, std::stod(fmt::format("{:.4g}", of)));
}

CollectiveCalibration calibrate_collectives(const CollectiveCalibrationRequest& request,
                                            const std::vector<CollectiveTime>& times) {
  return CollectiveFitter(request, times).run();
}

}  // namespace toroid::study
