#pragma once
// What others cost a replay: how much earlier each of its moments would have come without them. Kept only where
// somebody watches the network.

#include <numeric>
#include <unordered_map>

#include "netsim/fluid/contention.hpp"
#include "netsim/repeats/state_walk.hpp"
#include "netsim/repeats/tally.hpp"
#include "netsim/replay/matching.hpp"
#include "netsim/time/clock.hpp"

namespace toroid::netsim {

/// When something happened, and what others had cost until then: a row of Charges, or no_charges.
struct Moment {
  Time time = {};
  std::uint32_t row = no_charges;
};

/// A replay knows of each history how much earlier it would be at its present if some of the others were not there: its
/// *leads*, a row of seconds. A message that lost something to others has a larger lead where it arrives than where it
/// set out. Where a rank waits for several messages it goes on with the last of them, in fact and without the others:
/// so what a message lost costs nothing if another one would have been waited for as long.
///
/// There are 2^others combinations; kept are those with only one of the others, and those without one. What each costs
/// is the mean of what it adds when it comes first and when it comes last, scaled so that all add up to what is lost to
/// all: Shapley values, but for the orders in which it comes in between.
///
/// Changes of the machine stand beside the other jobs, as one more. Rows never change, so histories share them; those
/// that no history has any more go, so that memory goes to ranks and messages under way.
class Charges {
 public:
  /// Charges of the job that holds `node`; nothing is charged where nobody watches the network (null).
  Charges(const Contention* contention, NodeId node)
      : contention_(contention),
        changes_(contention == nullptr ? 0 : contention->jobs()),
        columns_(contention == nullptr ? 0 : 2 * (changes_ + 1)),
        own_(contention == nullptr ? 0 : contention->job_of(node)),
        lost_(columns_ / 2) {}

  bool are_kept() const { return contention_ != nullptr; }

  /// A message of that history arrives, with `seconds` of contention: each job gets what the message lost to it, while
  /// it flowed and in line. What is left over of the contention is what changes of the machine took; where there were
  /// none it is rounding, and gets lost among the parts, or is the replay's own where there are none. Returns the
  /// seconds lost to other jobs.
  double add(History& history, double seconds, const Losses& losses) {
    if (!are_kept() || (!(seconds > 0) && losses.in_line.empty())) return 0;
    TOROID_ASSERT_HEAVY(losses.sharing.size() <= changes_ && losses.in_line.size() <= changes_);
    const double sum = std::accumulate(losses.sharing.begin(), losses.sharing.end(), 0.0);
    const bool leaves_some = contention_->has_changed() && sum < seconds;
    const double scale = leaves_some ? 1 : sum > 0 ? seconds / sum : 0;
    std::fill(lost_.begin(), lost_.end(), 0.0);
    for (std::size_t job = 0; job < losses.sharing.size(); ++job) lost_[job] += scale * losses.sharing[job];
    for (std::size_t job = 0; job < losses.in_line.size(); ++job) lost_[job] += losses.in_line[job];
    if (leaves_some)
      lost_[changes_] += seconds - sum;
    else if (!(sum > 0))
      lost_[own_] += seconds;
    const double to_all = std::accumulate(lost_.begin(), lost_.end(), 0.0), to_others = to_all - lost_[own_];
    const auto row = new_row(history.charged);
    for (std::size_t who = 0; who <= changes_; ++who) {
      row[2 * who] += who == own_ ? to_others : to_others - lost_[who];
      row[2 * who + 1] += who == own_ ? to_all : lost_[who];
    }
    history.charged = last_row();
    return to_others - lost_[changes_];
  }

  /// Something that has come to this history at `since` goes on now, as it has waited for `other` as well.
  void meet(History& history, const Time& since, const Moment& other, const Time& now) {
    if (!are_kept() || (history.charged == no_charges && since == now)) return;  // it would be here by now anyway
    if (other.time == now && other.row == history.charged) return;
    if (other.time == now && other.row == no_charges) return void(history.charged = no_charges);
    const double earlier = (now - since).seconds(), other_earlier = (now - other.time).seconds();
    const auto row = new_row(history.charged);
    for (std::size_t column = 0; column < columns_; ++column)
      row[column] = std::min(earlier + row[column], other_earlier + at(other.row, column));
    history.charged = last_row();
  }

  /// A message that has come to the core of a rank at `since` is seen to from `begin` on, behind the messages that came
  /// before or what the rank computes, and until `end`. Behind a computation it waits as long as without the others.
  void wait_for_core(std::size_t rank, History& history, const Time& since, const Time& begin, const Time& end) {
    if (!are_kept()) return;
    TOROID_ASSERT_HEAVY(since <= begin && begin <= end);
    if (rank >= at_cores_.size()) at_cores_.resize(rank + 1);
    const auto& last = at_cores_[rank];
    const bool is_behind_it = since < begin && begin < last.time + Clock::together;
    if (is_behind_it) meet(history, since, {begin, last.row}, begin);
    at_cores_[rank] = {end, history.charged};
  }

  /// When a receive was posted or a request ended, and with what history.
  void note(RequestId request, const Moment& moment) {
    if (!are_kept()) return;
    if (request >= noted_.size()) noted_.resize(request + std::size_t{1});
    noted_[request] = moment;
  }
  Moment noted(RequestId request) const { return are_kept() ? noted_[request] : Moment{}; }

  /// What the history lost: by job, and last to changes of the machine; empty if nobody watches. To the replay's own
  /// job it is what its messages would lose to each other without the others.
  std::vector<double> of(const History& history) const {
    if (!are_kept()) return {};
    std::vector<double> charges(changes_ + 1);
    const double to_others = at(history.charged, 2 * own_), to_all = at(history.charged, 2 * own_ + 1);
    double sum = 0;
    for (std::size_t who = 0; who <= changes_; ++who) {
      if (who == own_) continue;
      const double first = to_others - at(history.charged, 2 * who), last = at(history.charged, 2 * who + 1);
      sum += charges[who] = std::max(0.0, (first + last) / 2);
    }
    for (double& charge : charges) charge *= sum > 0 ? to_others / sum : 0;
    charges[own_] = std::max(0.0, to_all - to_others);
    TOROID_ASSERT_HEAVY(std::ranges::all_of(charges, [](double charge) { return charge >= 0; }));
    return charges;
  }

  // All that is done with rows commutes with adding the same seconds to all of them. Where they differ therefore from
  // each other as before, and not only from nothing, each period adds what the last one has added.

  void begin_walk() {
    reference_.clear();
    grown_.clear();
  }
  /// Shows by how much a row differs from the first of the walk, or lets it grow as the last tally said. Of rows that
  /// are kept.
  void walk(StateWalk& walk, std::uint32_t& row) {
    if (walk.moves()) return grow(row);
    if (reference_.empty())
      for (std::size_t column = 0; column < columns_; ++column) reference_.push_back(at(row, column));
    for (std::size_t column = 0; column < columns_; ++column) walk.span(at(row, column) - reference_[column]);
  }
  /// Shows what was noted of a request, which must be.
  void walk_noted(StateWalk& walk, RequestId request) {
    TOROID_ASSERT(request < noted_.size());
    walk.time(noted_[request].time);
    this->walk(walk, noted_[request].row);
  }
  /// Shows the first row of the last walk to a tally.
  void tally(Tally& tally) {
    growth_ = reference_;
    for (auto& lead : growth_) tally.add(lead);
    if (!tally.grows()) return;
    for (std::size_t column = 0; column < growth_.size(); ++column) growth_[column] -= reference_[column];
  }

  /// Whether there are so many rows that some should go.
  bool is_full() const { return rows() >= most_; }
  /// `for_each(visit)` calls visit(history) for all histories that are left; only their rows stay, those that were
  /// noted, and those of cores.
  template <class ForEach>
  void collect(ForEach for_each) {
    std::vector<double> kept;
    std::vector<std::uint32_t> places(rows(), no_charges);
    const auto keep = [&](std::uint32_t& row) {
      if (row == no_charges) return;
      auto& place = places[row];
      if (place == no_charges) {
        place = static_cast<std::uint32_t>(kept.size() / columns_);
        for (std::size_t column = 0; column < columns_; ++column) kept.push_back(at(row, column));
      }
      row = place;
    };
    for_each([&](History& history) { keep(history.charged); });
    for (auto& moment : noted_) keep(moment.row);
    for (auto& moment : at_cores_) keep(moment.row);
    leads_ = std::move(kept);
    most_ = std::max(least, 2 * rows());
  }

 private:
  static constexpr std::size_t least = 65536;

  void grow(std::uint32_t& row) {
    if (std::all_of(growth_.begin(), growth_.end(), [](double seconds) { return seconds == 0; })) return;
    const auto [place, is_new] = grown_.try_emplace(row, no_charges);
    if (is_new) {
      double* leads = new_row(row);
      for (std::size_t column = 0; column < columns_; ++column) leads[column] += growth_[column];
      place->second = last_row();
    }
    row = place->second;
  }
  std::size_t rows() const { return columns_ == 0 ? 0 : leads_.size() / columns_; }
  std::uint32_t last_row() const { return static_cast<std::uint32_t>(rows() - 1); }
  double at(std::uint32_t row, std::size_t column) const {
    return row == no_charges ? 0 : leads_[row * columns_ + column];
  }
  /// A row that begins as another one; valid until the next.
  double* new_row(std::uint32_t as) {
    leads_.resize(leads_.size() + columns_);
    double* row = leads_.data() + leads_.size() - columns_;
    TOROID_ASSERT_HEAVY(as == no_charges || as < last_row());
    for (std::size_t column = 0; column < columns_; ++column) row[column] = at(as, column);
    return row;
  }

  const Contention* contention_;
  std::size_t changes_;  ///< number of the column of changes of the machine, after those of the jobs
  std::size_t columns_;
  JobNumber own_;
  std::vector<double> lost_;  ///< losses by the message that arrives, by job
  std::size_t most_ = least;  ///< number of rows from which on some should go
  /// Leads by row, then by other: seconds by which it would be earlier with only that one, and without it. For the own
  /// job: with none of the others; and if its own messages shared nothing with each other either.
  std::vector<double> leads_;
  std::vector<Moment> noted_;                               ///< moments by request; some of these are no more
  std::vector<Moment> at_cores_;                            ///< when each rank's core was through with its last message
  std::vector<double> reference_, growth_;                  ///< the first row of a walk, and what a move adds to all
  std::unordered_map<std::uint32_t, std::uint32_t> grown_;  ///< rows by what they were before this move
};

}  // namespace toroid::netsim
