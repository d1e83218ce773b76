#include "netsim/repeats/tally.hpp"

namespace toroid::netsim {
namespace {

/// What becomes of the histories in a number of periods: the one in each place is that of another place at their
/// beginning, with something added.
struct Change {
  std::uint32_t from;
  History added;
};

/// The change of all periods of `first` and then of those of `then`.
std::vector<Change> chain(const std::vector<Change>& first, const std::vector<Change>& then) {
  auto both = then;
  for (auto& change : both) {
    const auto& before = first[change.from];
    change.from = before.from;
    change.added.add(before.added, 1);
  }
  return both;
}

}  // namespace

void Tally::note(std::span<History* const> histories) {
  histories_.clear();
  for (auto* history : histories) {
    history->origin = static_cast<std::uint32_t>(histories_.size());
    histories_.push_back(*history);
  }
}

void Tally::grow(std::span<History* const> histories) const {
  TOROID_ASSERT(histories.size() == histories_.size());
  std::vector<Change> power, all;  // of 2^i periods, and of those that are done
  std::vector<History> present;
  for (const auto* history : histories) {
    TOROID_ASSERT(history->origin < histories_.size());
    Change change{history->origin, *history};
    change.added.add(histories_[history->origin], -1);
    power.push_back(change);
    all.push_back({static_cast<std::uint32_t>(present.size()), {}});
    present.push_back(*history);
  }
  for (auto left = times_; left > 0; left >>= 1U) {
    if ((left & 1U) != 0) all = chain(all, power);
    if (left > 1) power = chain(power, power);
  }
  for (std::size_t i = 0; i < present.size(); ++i) {
    histories[i]->follow(present[all[i].from]);
    histories[i]->add(all[i].added, 1);
  }
}

}  // namespace toroid::netsim
