#pragma once
// Jobs whose run times the network decides, in epochs: they are replayed until those that share links go on at steady
// rates, and from there on they skip ahead at these, up to the next change. A log of years takes hours, where a
// replay of all its messages would take years.

#include "core/random.hpp"
#include "cosim/run_times/steadiness.hpp"
#include "netsim/simulation.hpp"
#include "toroid/core/fields.hpp"

namespace toroid::cosim {

/// Runs jobs in epochs. A job's program consists of rounds. How long a round takes depends on the job's component: the
/// jobs that it shares links with, directly or through others. All jobs begin as replays on the one network. The jobs
/// of a component leave it and skip ahead at their rates when these are steady, or known from an earlier time when the
/// jobs had such places, and the next end is far enough to gain by it. Jobs come back to the network, in phases drawn
/// at random, when a job comes or goes and the new rates are not known. Jobs with few rounds are replayed exactly,
/// and there is never much more work than in a replay. A job whose program takes no time lasts as its log says.
class Epochs final : public RunTimes, netsim::TimerClient {
 public:
  /// `programs`, `network` and `usage` must outlive it. What links carry is booked in `usage`, if there is one.
  Epochs(const EpochOptions& options, PlacedPrograms& programs, netsim::Network& network, std::uint64_t seed,
         netsim::LinkUsage* usage = nullptr);
  ~Epochs() override;
  void start(const StartedJob& started, Ended ended) override;
  void kill(JobId job) override;
  double cost(const StartedJob& started) override { return programs_.cost(started); }
  /// Three figures: `mixes`, how many times the rates of a mix of jobs were asked for; `simulated`, how many
  /// simulations that took; `replayed`, the share of all rounds that was replayed.
  std::vector<core::Figure> figures() const override;

 private:
  using Slot = std::uint32_t;
  /// Jobs that are beside each other on the network.
  struct Mix {
    std::vector<Slot> jobs;
    Steadiness steadiness;
    bool is_known = false;  ///< whether their rates are known
    bool is_over = false;   ///< whether a job has left the mix, or others have come
  };
  struct Running {
    PlacedProgram program;
    JobId id = 0;
    std::uint64_t rounds = 1;
    double done = 0;  ///< rounds done at `since`
    double rate = 0;  ///< rounds per second while it skips
    Time since;
    Time limit;
    Ended ended;
    std::vector<LinkBytes> links;  ///< links that its messages cross, with the bytes of a round
    double booked = 0;             ///< rounds booked on these links until `booked_at`
    Time booked_at;
    std::shared_ptr<Mix> mix;
    std::size_t place = 0;  ///< its place in the mix
    std::optional<std::pair<double, Time>>
        came_back;  ///< rounds done, and when, if it came back to the network for this mix
    std::optional<netsim::Simulation::JobId> replay;
    std::optional<netsim::TimerId> end;  ///< timer of its end, if it skips
    Time ends;                           ///< time of its end, if it skips
    bool is_cut = false;                 ///< whether it ends at its limit
    bool is_dirty = false, has_skipped = false;

    double left() const { return static_cast<double>(rounds) - done; }  ///< rounds left
  };
  /// Rounds of a job on the network.
  struct Stretch {
    Slot slot = 0;
    Time start;
    double done = 0;  ///< rounds of the job that are done at the end of the stretch
    std::unique_ptr<CountedRounds> rounds;
    bool is_left = false;  ///< whether the job skips, so that this is about to end
  };
  // What timers stand for; other numbers are slots.
  static constexpr std::uint32_t rating = ~0U;

  void timer_ended(std::uint32_t payload) override;
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
  Logged logged_;
  core::Random lots_;
  core::Pool<Running> running_;
  core::IdVector<platforms::LinkId, std::vector<Slot>> users_;
  SharedLinks shared_links_;
  std::vector<Slot> dirty_;
  std::optional<netsim::TimerId> rating_timer_;
  std::uint64_t rounds_replayed_ = 0;
  double rounds_ended_ = 0;
  std::unordered_map<netsim::Simulation::JobId, std::unique_ptr<Stretch>> stretches_;
  netsim::Simulation simulation_;
};

/// The field of a schedule's totals that tells its epochs.
inline constexpr core::FieldText epochs_field{"epochs", "epochs", "only with --times epochs"};

}  // namespace toroid::cosim
