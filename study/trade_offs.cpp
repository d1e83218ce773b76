#include "study/trade_offs.hpp"

#include <cmath>

namespace toroid::study {
namespace {

using Relation = Contrast::Relation;
using Groups = std::vector<SweepGroup>;
using Metric = cosim::ScheduleMetric;

constexpr double significance_level = 0.05;

Runs runs_of(const SweepGroup& group, const Metric& metric) {
  Runs runs{!group.draws_lots, group.values(metric.name), {}};
  for (const auto* row : group.rows) runs.repetitions.push_back(row->run.repetition);
  return runs;
}

bool is_one_of_each(const SweepGroup& one, const SweepGroup& other) {
  return one.rows.size() == 1 && other.rows.size() == 1;
}

/// How one of two groups with runs differs from the other; nothing if nothing tells it.
std::optional<Difference> difference_in(const Metric& metric, const SweepGroup& one, const SweepGroup& other,
                                        bool same_lots, double confidence) {
  if (!is_one_of_each(one, other))
    return difference_of(runs_of(one, metric), runs_of(other, metric), same_lots, confidence);
  const bool same_jobs = !same_lots || one.rows[0]->run.repetition == other.rows[0]->run.repetition;
  const auto &a = one.rows[0]->segments, &b = other.rows[0]->segments;
  if (metric.of_job == nullptr || !same_jobs || a.jobs.empty() || a.jobs != b.jobs) return std::nullopt;
  return difference_by_job(a.sums_of(metric), b.sums_of(metric), a.jobs, confidence);
}

/// The interval of what `one` costs more than the other in a criterion; nothing if it is not known.
std::optional<Interval> cost(const Metric& criterion, const Contrast& contrast) {
  const auto found = contrast.differences.find(criterion.name);
  if (found == contrast.differences.end()) return std::nullopt;
  const auto& interval = found->second.interval;
  TOROID_ASSERT(!interval || interval->low <= interval->high);
  return (criterion.more_is_better ? reversed(found->second) : found->second).interval;
}

/// How one contender stands beside another in a criterion. `single` is where one run gives no interval.
enum class Kind { better, worse, equal, chance, single };

/// How far apart two contenders may be in a criterion to count as equal.
double margin_of(const Metric& criterion, const Groups& groups, const Contrast& contrast) {
  return Contrast::margin *
         (groups[contrast.one].mean(criterion.scale) + groups[contrast.other].mean(criterion.scale)) / 2;
}

Kind kind_of(const Metric& criterion, const Groups& groups, const Contrast& contrast) {
  const auto interval = cost(criterion, contrast);
  const double margin = margin_of(criterion, groups, contrast);
  if (!interval) {
    const double apart =
        std::abs(groups[contrast.one].mean(criterion.name) - groups[contrast.other].mean(criterion.name));
    return apart <= margin ? Kind::equal : Kind::single;
  }
  if (interval->low >= -margin && interval->high <= margin) return Kind::equal;
  if (interval->high < 0) return Kind::better;
  return interval->low > 0 ? Kind::worse : Kind::chance;
}

Relation relation_of(const std::vector<Metric>& all, const Groups& groups, const Contrast& contrast) {
  if (is_one_of_each(groups[contrast.one], groups[contrast.other])) return Relation::untold;
  bool one_is_better = false, other_is_better = false, one_is_no_worse = true, other_is_no_worse = true;
  for (const auto& criterion : all) {
    const auto interval = cost(criterion, contrast);
    if (!interval) return Relation::undecided;
    const double margin = margin_of(criterion, groups, contrast);
    const auto kind = kind_of(criterion, groups, contrast);  // as it is told: a gain below the margin is none
    one_is_better |= kind == Kind::better;
    other_is_better |= kind == Kind::worse;
    one_is_no_worse &= interval->high <= margin;
    other_is_no_worse &= interval->low >= -margin;
  }
  if (one_is_no_worse && other_is_no_worse) return Relation::alike;
  if (one_is_better && one_is_no_worse) return Relation::one_dominates;
  if (other_is_better && other_is_no_worse) return Relation::other_dominates;
  return one_is_better && other_is_better ? Relation::trade : Relation::undecided;
}

void correct_each_metric(std::vector<Contrast>& contrasts) {
  for (const auto& metric : cosim::schedule_metrics()) {
    std::vector<Difference*> differences;
    for (auto& contrast : contrasts)
      if (const auto found = contrast.differences.find(metric.name); found != contrast.differences.end())
        differences.push_back(&found->second);
    correct_for_number(differences);
  }
}

TradeOffs compared(const Sweep& sweep, const Groups& groups, std::vector<std::size_t> members) {
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(members));
  TradeOffs found{std::move(members)};
  const auto count = static_cast<double>(found.groups.size());
  found.confidence = 1 - significance_level / std::max(1.0, count * (count - 1) / 2);
  for (std::size_t a = 0; a < found.groups.size(); ++a)
    for (std::size_t b = a + 1; b < found.groups.size(); ++b) {
      Contrast contrast{found.groups[a], found.groups[b]};
      const auto &one = groups[contrast.one], &other = groups[contrast.other];
      const bool same_lots = sweep.shares_lots(one.run.workload);
      for (const auto& metric : cosim::schedule_metrics())
        if (const auto difference = difference_in(metric, one, other, same_lots, found.confidence))
          contrast.differences.emplace(metric.name, *difference);
      contrast.relation = relation_of(criteria(sweep), groups, contrast);
      found.contrasts.push_back(std::move(contrast));
    }
  TOROID_ASSERT(2 * found.contrasts.size() == found.groups.size() * (found.groups.size() - 1));
  correct_each_metric(found.contrasts);
  return found;
}

Contrast reversed(Contrast contrast) {
  std::swap(contrast.one, contrast.other);
  for (auto& [field, difference] : contrast.differences) difference = study::reversed(difference);
  if (contrast.relation == Relation::one_dominates)
    contrast.relation = Relation::other_dominates;
  else if (contrast.relation == Relation::other_dominates)
    contrast.relation = Relation::one_dominates;
  return contrast;
}

class Telling {
 public:
  Telling(const Sweep& sweep, const Groups& groups, const TradeOffs& found)
      : sweep_(sweep), groups_(groups), found_(found) {}

  std::string text() {
    if (found_.are_single_runs()) {
      line("verdict",
           fmt::format("one run of each: {}; intervals tell of {}",
                       any_shown() ? "which is better is told for this log alone" : "no statement on which is better",
                       sweep_.spec().options.failures.any_daily() ? "its days" : "segments of its jobs"));
      tell_of_hops();
      for (std::size_t i = 1; i < found_.groups.size(); ++i) line("this run", instead(found_.groups[i], front()));
      return text_;
    }
    line("verdict", fmt::format("by {}; {}", criteria_in_words(), basis()));
    tell_of_hops();
    tell_dominance();
    tell_trades();
    tell_others(Relation::alike, "alike");
    tell_others(Relation::undecided, "undecided");
    return text_;
  }

 private:
  void line(std::string_view label, std::string_view said) { text_ += fmt::format("{:<15}{}\n", label, said); }

  std::size_t front() const { return found_.groups.front(); }

  /// What tells a contender from the others.
  std::string name(std::size_t group) const {
    const auto& spec = sweep_.spec();
    const auto& run = groups_[group].run;
    std::vector<std::string> parts;
    if (spec.schedulers.size() > 1) parts.push_back(spec.labels.schedulers[run.scheduler]);
    if (spec.allocators.size() > 1) parts.push_back(spec.labels.allocs[run.alloc]);
    if (spec.has_programs() && spec.maps.size() > 1) parts.push_back(spec.labels.maps[run.map]);
    if (spec.and_without_events) parts.push_back(spec.labels.events[run.events]);
    return core::join(parts, " + ");
  }

  /// Hops stand in the tables, and do not say which allocator is better.
  void tell_of_hops() {
    if (!sweep_.spec().has_programs() && sweep_.spec().allocators.size() > 1)
      line("hops",
           "are no run times, which a log has the same on all nodes: --times modelled, or advise, says what "
           "nodes cost");
  }

  std::string criteria_in_words() const {
    std::vector<std::string> names;
    for (const auto& criterion : criteria(sweep_)) {
      names.emplace_back(criterion.title);
      if (criterion.name == "mean_bounded_slowdown") names.back() += fmt::format(" ({})", cosim::bound_of_slowdown);
    }
    return core::join(names);
  }

  std::string basis() const {
    const auto pairs = found_.contrasts.size();
    std::size_t fewest = SIZE_MAX, most = 0;
    for (const auto group : found_.groups) {
      if (!groups_[group].draws_lots) continue;
      fewest = std::min(fewest, groups_[group].rows.size());
      most = std::max(most, groups_[group].rows.size());
    }
    return fmt::format("95 % intervals over {} seeds{}",
                       fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most),
                       pairs > 1 ? fmt::format(", which hold together for all {} pairs in each criterion", pairs) : "");
  }

  /// `+8.9 % (+4.9 to +12.9)`, of what the other has.
  std::string told(const Metric& criterion, const Contrast& contrast) const {
    const double scale = groups_[contrast.other].mean(criterion.name);
    const auto percent = [&](double value) {
      return scale > 0 ? fmt::format("{:+.1f}", 100 * value / scale) : fmt::format("{:+.4g}", value);
    };
    const auto found = contrast.differences.find(criterion.name);
    const double mean = found != contrast.differences.end()
                            ? found->second.mean
                            : groups_[contrast.one].mean(criterion.name) - groups_[contrast.other].mean(criterion.name);
    auto text = fmt::format("{} {}{}", criterion.title, percent(mean), scale > 0 ? " %" : "");
    if (found != contrast.differences.end() && found->second.interval)
      text += fmt::format(" ({} to {})", percent(found->second.interval->low), percent(found->second.interval->high));
    return text;
  }

  /// Whether any difference is larger than chance.
  bool any_shown() const {
    return std::ranges::any_of(found_.contrasts, [&](const Contrast& contrast) {
      return !(all_of(Kind::better, contrast) + all_of(Kind::worse, contrast)).empty();
    });
  }

  std::string all_of(Kind wanted, const Contrast& contrast) const {
    std::vector<std::string> parts;
    for (const auto& criterion : criteria(sweep_))
      if (kind_of(criterion, groups_, contrast) == wanted) parts.push_back(told(criterion, contrast));
    return core::join(parts);
  }

  /// What `one` gains over the other, and what it pays for that.
  std::string gains(const Contrast& contrast) const {
    const auto better = all_of(Kind::better, contrast), worse = all_of(Kind::worse, contrast),
               chance = all_of(Kind::chance, contrast), single = all_of(Kind::single, contrast);
    auto text = better;
    if (!worse.empty()) text += (text.empty() ? "" : "; at the price of ") + worse;
    if (!chance.empty()) text += (text.empty() ? "" : "; ") + ("perhaps by chance " + chance);
    if (!single.empty()) text += (text.empty() ? "" : "; ") + (single + ", of which one run gives no interval");
    return text.empty() ? "no difference above 1 %" : text;
  }

  std::string instead(std::size_t one, std::size_t other) const {
    return fmt::format("{} instead of {}: {}", name(one), name(other), gains(found_.between(one, other)));
  }

  void tell_dominance() {
    std::vector<std::string> kept;
    for (const auto group : found_.groups)
      if (found_.dominators(group).empty()) kept.push_back(name(group));
    line("not dominated", core::join(kept));
    for (const auto group : found_.groups)
      if (auto by = found_.dominators(group); !by.empty()) {
        // A dominator that is itself not dominated says most.
        std::stable_partition(by.begin(), by.end(), [&](auto one) { return found_.dominators(one).empty(); });
        line("dominated", fmt::format("{} by {}: {}", name(group), name(by[0]), gains(found_.between(group, by[0]))));
      }
  }

  /// What is paid for what among those that are not dominated, each beside the first of them.
  void tell_trades() {
    std::optional<std::size_t> base;
    for (const auto group : found_.groups) {
      if (!found_.dominators(group).empty()) continue;
      if (!base)
        base = group;
      else if (found_.between(group, *base).relation == Relation::trade)
        line("trade", instead(group, *base));
    }
  }

  void tell_others(Relation relation, std::string_view label) {
    for (const auto& contrast : found_.contrasts)
      if (contrast.relation == relation && found_.dominators(contrast.one).empty() &&
          found_.dominators(contrast.other).empty())
        line(label, instead(contrast.other, contrast.one));
  }

  const Sweep& sweep_;
  const Groups& groups_;
  const TradeOffs& found_;
  std::string text_;
};

}  // namespace

std::vector<Metric> criteria(const Sweep& sweep) {
  return cosim::placed_metrics(&Metric::criterion, sweep.spec().has_programs());
}

std::vector<std::size_t> TradeOffs::dominators(std::size_t group) const {
  std::vector<std::size_t> found;
  for (const auto& contrast : contrasts) {
    if (contrast.one == group && contrast.relation == Relation::other_dominates) found.push_back(contrast.other);
    if (contrast.other == group && contrast.relation == Relation::one_dominates) found.push_back(contrast.one);
  }
  return found;
}

bool TradeOffs::is_undecided(std::size_t group) const {
  return std::ranges::any_of(contrasts, [&](const Contrast& contrast) {
    return (contrast.one == group || contrast.other == group) &&
           (contrast.relation == Relation::undecided || contrast.relation == Relation::untold);
  });
}

Contrast TradeOffs::between(std::size_t one, std::size_t other) const {
  TOROID_ASSERT(one != other);
  for (const auto& contrast : contrasts) {
    if (contrast.one == one && contrast.other == other) return contrast;
    if (contrast.one == other && contrast.other == one) return reversed(contrast);
  }
  return {one, other};
}

bool TradeOffs::are_single_runs() const {
  return std::ranges::all_of(contrasts, [](const Contrast& contrast) { return contrast.relation == Relation::untold; });
}

std::vector<TradeOffs> trade_offs(const Sweep& sweep, const Groups& groups) {
  std::vector<TradeOffs> all;
  for (auto members : beside_each_other(groups, {Factor::scheduler, Factor::alloc, Factor::map, Factor::events})) {
    std::erase_if(members, [&](std::size_t group) { return groups[group].rows.empty(); });
    if (!members.empty()) all.push_back(compared(sweep, groups, std::move(members)));
  }
  return all;
}

const TradeOffs* JudgedSweep::trade_offs_of(std::size_t group) const {
  const auto found = std::ranges::find_if(
      trade_offs, [&](const TradeOffs& one) { return std::ranges::find(one.groups, group) != one.groups.end(); });
  return found == trade_offs.end() ? nullptr : &*found;
}

JudgedSweep judge_sweep(std::shared_ptr<const Sweep> sweep, Executor& executor, Journal* journal) {
  JudgedSweep judged{std::move(sweep)};
  judged.rows = std::make_shared<const std::vector<SweepRow>>(run_sweep(*judged.sweep, executor, journal));
  judged.groups = sweep_groups(*judged.sweep, *judged.rows);
  judged.trade_offs = trade_offs(*judged.sweep, judged.groups);
  return judged;
}

std::string verdict_text(const Sweep& sweep, const Groups& groups, const TradeOffs& found) {
  return found.groups.size() < 2 ? std::string() : Telling(sweep, groups, found).text();
}

}  // namespace toroid::study
