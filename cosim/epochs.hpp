#pragma once
// Jobs whose run times the network decides, in epochs: they are replayed until those that share links go on at steady
// rates, and from there on they skip ahead at these, up to the next change. So a log of years takes hours, where a
// replay of all its messages would take years.

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/id.hpp"
#include "core/pool.hpp"
#include "core/random.hpp"
#include "cosim/placed_programs.hpp"
#include "cosim/situations.hpp"
#include "cosim/steadiness.hpp"
#include "netsim/link_usage.hpp"
#include "netsim/simulation.hpp"

namespace toroid::cosim {

/// A job's program consists of rounds. How long a round takes depends on the jobs that it shares links with, directly
/// or through others: its component. All begin as replays on the one network. When the rates of a component are steady,
/// or known from the last time that its jobs lay in this way, and its next end is farther than it takes to find them
/// out, its jobs leave the network and go on at these rates. They come back to it, in phases drawn at random, when a
/// job comes or goes and the rates that follow are not known. So it is a replay, exactly, where jobs have few rounds,
/// and never much more work than that.
class Epochs final : public Worker, netsim::TimerClient {
 public:
  /// All must outlive it. What links carry is booked in `usage`, if there is one.
  Epochs(const EpochOptions& options, PlacedPrograms& programs, netsim::Network& network, std::uint64_t seed,
         netsim::LinkUsage* usage = nullptr);
  ~Epochs() override;
  bool start(const Start& start, Ended ended) override;
  void kill(JobId job) override;
  /// `mixes` of jobs whose rates were asked for, how many were `simulated` until these were steady, and what share of
  /// all rounds was `replayed`.
  std::vector<alloc::Figure> figures() const override;

 private:
  using Slot = std::uint32_t;
  struct LinkBytes {
    platforms::LinkId link;
    std::uint64_t bytes;  ///< in a round
  };
  /// Jobs that are beside each other on the network.
  struct Mix {
    std::vector<Slot> jobs;
    Steadiness steadiness;
    bool is_known = false;  ///< how fast they go
    bool is_over = false;   ///< one of them has left it, or others have come
  };
  struct Running {
    PlacedProgram program;
    JobId id = 0;
    std::uint64_t rounds = 1;
    double done = 0;  ///< rounds, at `since`
    double rate = 0;  ///< rounds per second, if it skips
    Time since;
    Time limit;
    Ended ended;
    std::vector<LinkBytes> links;  ///< that its messages cross
    double booked = 0;             ///< rounds on these, until `booked_at`
    Time booked_at;
    std::shared_ptr<Mix> mix;
    std::size_t place = 0;  ///< in it
    std::optional<std::pair<double, Time>>
        came_back;  ///< with so many rounds done, for this mix, having skipped before
    std::optional<netsim::Simulation::JobId> replay;
    std::optional<netsim::TimerId> end;  ///< if it skips
    Time ends;                           ///< then
    bool is_cut = false;                 ///< it ends at its limit
    bool is_dirty = false, has_skipped = false;

    double left() const { return static_cast<double>(rounds) - done; }  ///< rounds
  };
  /// Rounds of a job on the network.
  struct Stretch {
    Slot slot = 0;
    Time start;
    double done = 0;  ///< rounds of the job, at its end
    std::unique_ptr<CountedRounds> rounds;
    bool is_left = false;  ///< the job skips, this is about to end
  };
  // What timers stand for; other numbers are slots.
  static constexpr std::uint32_t rating = ~0U;

  void timer_ended(std::uint32_t payload) override;
  std::vector<LinkBytes> links_of(const PlacedProgram& program) const;
  void leave(Slot slot);
  void touch(Slot slot);
  void rate_all();
  std::vector<Slot> component(Slot slot);
  void rate(const std::vector<Slot>& component);
  std::vector<const PlacedProgram*> programs_of(const std::vector<Slot>& jobs) const;
  bool pays(const std::vector<Slot>& jobs, const Pace& pace) const;

  void replay(Slot slot);
  void add_stretch(Slot slot, const Time& start);
  void round_over(const Stretch& stretch);
  void settle(Mix& mix);
  void stretch_ended(netsim::Simulation::JobEnd end);

  void skip(const std::vector<Slot>& jobs, const Pace& pace);
  void skip(Slot slot, double seconds_per_round);
  void go_on(Running& running) const;
  void set_end(Slot slot);

  void book(Running& running);
  void finish(Slot slot, End end, const netsim::ReplayEnd* replay = nullptr);

  EpochOptions options_;
  PlacedPrograms& programs_;
  netsim::Clock& clock_;
  Situations situations_;
  netsim::LinkUsage* usage_;
  core::Random lots_;
  core::Pool<Running> running_;
  core::IdVector<platforms::LinkId, std::vector<Slot>> users_;
  std::vector<Slot> dirty_;
  std::optional<netsim::TimerId> rating_timer_;
  std::uint64_t rounds_replayed_ = 0;
  double rounds_ended_ = 0;
  std::unordered_map<netsim::Simulation::JobId, std::unique_ptr<Stretch>> stretches_;
  netsim::Simulation simulation_;
};

}  // namespace toroid::cosim
