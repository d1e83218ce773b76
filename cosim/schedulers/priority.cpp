#include <cmath>
#include <numbers>

#include "core/units.hpp"
#include "cosim/schedulers/easy.hpp"

namespace toroid::cosim {
namespace {

using Factors = std::map<std::int64_t, double>;

core::Type<Factors> factors_type() {
  return {"queues by their numbers with their factors, such as 1:10/4:50",
          [](std::string_view text, const core::Place&) -> std::optional<Factors> {
            Factors factors;
            for (const auto part : core::split(text, '/')) {
              const auto colon = std::min(part.find(':'), part.size() - 1);
              const auto queue = core::parse_number<std::int64_t>(part.substr(0, colon));
              const auto factor = core::parse_number<std::uint16_t>(part.substr(colon + 1));
              if (!queue || !factor || !factors.emplace(*queue, *factor).second) return std::nullopt;
            }
            return factors;
          }};
}

const core::Parameter<double> age_weight{"age", "weight of how long a job has waited", core::real(0, 1e9), "1"};
const core::Parameter<double> share_weight{"fair-share", "weight of how little its user has used", core::real(0, 1e9),
                                           "1"};
const core::Parameter<double> size_weight{"size", "weight of its nodes", core::real(0, 1e9), "1"};
const core::Parameter<double> queue_weight{"queue", "weight of its queue", core::real(0, 1e9), "1"};
const core::Parameter<double> max_age{"max-age", "after so long a wait nothing is added", core::duration(), "7d"};
const core::Parameter<double> half_life{"half-life", "after which use counts half", core::duration(), "7d"};
const core::Parameter<bool> favor_small{"favor-small", "whether few nodes count instead of many", core::yes_or_no(),
                                        "no"};
const core::OptionalParameter<Factors> queue_factors{"queues", "factors of queues, whole numbers; others have 1",
                                                     factors_type(), "all alike"};

/// Node-seconds that somebody has used and is using, of which half is forgotten in each half-life.
class Usage {
 public:
  double at(const Time& now, double life) const {
    const double ages = (now - since_).seconds() / life;
    return amount_ * std::exp2(-ages) - nodes_ * life / std::numbers::ln2 * std::expm1(-ages * std::numbers::ln2);
  }
  /// From now on so many nodes more are used.
  void add(std::int32_t nodes, const Time& now, double life) {
    amount_ = at(now, life);
    since_ = now;
    nodes_ += nodes;
  }

 private:
  double amount_ = 0;  ///< node-seconds at `since_`
  Time since_;
  std::int32_t nodes_ = 0;
};

/// Slurm's multifactor priority with the fair share of its classic algorithm, where all users have equal shares. The
/// priority is a weighted sum of factors from 0 to 1, and orders the queue of EASY backfilling whenever jobs may start.
class Priority final : public Easy {
 public:
  explicit Priority(const core::Arguments& arguments)
      : Easy(Order::arrival), arguments_(arguments), factors_(arguments[queue_factors].value_or(Factors())) {
    for (const auto* time : {&max_age, &half_life})
      if (!(arguments[*time] > 0)) core::fail_input("priority: {}: found 0 s, expected a longer time", time->name);
    for (const auto& [queue, factor] : factors_) largest_factor_ = std::max(largest_factor_, factor);
  }

  void submitted(const Queued& job) override {
    users_[job.notes.user];
    ordered_ = Time::never();
    Easy::submitted(job);
  }
  void started(JobId job, std::int32_t nodes, const Time& now) override {
    owners_.emplace(job, waiting(job).notes.user);
    use(job, nodes, now);
    Easy::started(job, nodes, now);
  }
  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    use(job, nodes - running(job).nodes, now);
    Easy::resized(job, nodes, now);
  }
  void ended(HolderId holder, const Time& now) override {
    if (holder.is_job()) {
      use(holder.job(), -running(holder).nodes, now);
      owners_.erase(holder.job());
    }
    Easy::ended(holder, now);
  }

  std::optional<Start> next(const View& view) override {
    if (ordered_ != view.now) {
      ordered_ = view.now;
      machine_nodes_ = view.placements->free().machine().compute_nodes().size();
      all_used_ = all_.at(view.now, arguments_[half_life]);
      reorder();
    }
    return Easy::next(view);
  }

 private:
  void use(JobId job, std::int32_t nodes, const Time& now) {
    for (auto* usage : {&all_, &users_.at(owners_.at(job))}) usage->add(nodes, now, arguments_[half_life]);
  }

  /// The place in the queue, which is provisional until next() puts all jobs in order.
  Key key(const Queued& job) const override { return {ordered_ == Time::never() ? 0 : -priority(job), job.id}; }

  double priority(const Queued& job) const {
    const auto& a = arguments_;
    const double age = std::min(1.0, (ordered_ - job.submitted).seconds() / a[max_age]);
    const double size = job.nodes / static_cast<double>(machine_nodes_);
    return a[age_weight] * age + a[share_weight] * fair_share(job.notes.user) +
           a[size_weight] * (a[favor_small] ? 1 - size : size) + a[queue_weight] * queue_factor(job.notes);
  }
  /// 2^(-usage/share), both as parts of those of all users.
  double fair_share(std::int64_t user) const {
    if (all_used_ <= 0) return 1;
    const double usage = users_.at(user).at(ordered_, arguments_[half_life]) / all_used_;
    return std::exp2(-usage * static_cast<double>(users_.size()));
  }
  double queue_factor(const jobs::JobNotes& notes) const {
    const auto found = factors_.find(notes.queue >= 0 ? notes.queue : notes.partition);
    return (found == factors_.end() ? 1 : found->second) / largest_factor_;
  }

  core::Arguments arguments_;
  Factors factors_;
  double largest_factor_ = 1;
  Usage all_;
  std::map<std::int64_t, Usage> users_;             ///< users that have submitted a job; unknown ones are one
  std::unordered_map<JobId, std::int64_t> owners_;  ///< the users of the running jobs
  Time ordered_ = Time::never();                    ///< when the queue was put in order; never: a job has come since
  std::size_t machine_nodes_ = 0;
  double all_used_ = 0;  ///< node-seconds of all users, when the queue was put in order
};

}  // namespace

core::Entry<MakeScheduler> priority_scheduler() {
  return {"priority",
          "Slurm's multifactor priority (age, fair share, size, queue) in place of the order, with EASY backfilling",
          make<Priority>,
          {age_weight, share_weight, size_weight, queue_weight, max_age, half_life, favor_small, queue_factors}};
}

}  // namespace toroid::cosim
