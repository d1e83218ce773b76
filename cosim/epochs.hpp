#pragma once
// Jobs whose run times the network decides, in epochs: between two changes, as a job starts or ends, those that run go
// on in a steady state, and how fast they do is found by simulating a few rounds of those that share links. So a log of
// years takes hours, where a replay of all its messages would take years.

#include <memory>
#include <optional>
#include <vector>

#include "core/id.hpp"
#include "core/pool.hpp"
#include "cosim/placed_programs.hpp"
#include "cosim/situations.hpp"
#include "netsim/clock.hpp"
#include "netsim/link_usage.hpp"

namespace toroid::cosim {

/// A job's program consists of rounds. How long a round takes depends on the jobs that it shares links with, directly
/// or through others: its component. Jobs of other components keep their rates. A program of no more rounds than are
/// measured is simulated as a whole, with its start and its end.
class Epochs final : public Worker, netsim::TimerClient {
 public:
  /// All must outlive it. What links carry is booked in `usage`, if there is one.
  Epochs(const EpochOptions& options, PlacedPrograms& programs, netsim::Clock& clock, std::uint64_t seed,
         netsim::LinkUsage* usage = nullptr);
  ~Epochs() override;
  bool start(const Start& start, Ended ended) override;
  void kill(JobId job) override;
  /// `mixes` of jobs whose rates were asked for, and how often one was `simulated`.
  std::vector<alloc::Figure> figures() const override;

 private:
  using Slot = std::uint32_t;
  struct LinkBytes {
    platforms::LinkId link;
    std::uint64_t bytes;  ///< in a unit
  };
  struct Running {
    PlacedProgram program;
    JobId id = 0;
    double units = 1, done = 0;  ///< its rounds, or one unit of all of them if they are few
    double rate = 0;             ///< units per second, since `since`
    Time since;
    Time limit;
    Work work;
    Ended ended;
    std::vector<LinkBytes> links;  ///< that its messages cross
    std::optional<netsim::TimerId> end;
    bool is_cut = false;  ///< it ends at its limit
    bool is_dirty = false;

    Unit unit() const;
  };
  // What timers stand for; other numbers are slots.
  static constexpr std::uint32_t rating = ~0U;

  void timer_ended(std::uint32_t payload) override;
  void measure_alone(Running& running);
  std::vector<LinkBytes> links_of(const Running& running) const;
  void enter(Slot slot);
  void leave(Slot slot);
  void touch(Slot slot);
  void rate_all();
  std::vector<Slot> component(Slot slot);
  void rate(const std::vector<Slot>& component);
  void go_on(Running& running);
  void set_end(Slot slot);
  void finish(Slot slot);

  EpochOptions options_;
  PlacedPrograms& programs_;
  netsim::Clock& clock_;
  Situations situations_;
  netsim::LinkUsage* usage_;
  core::Pool<Running> running_;
  core::IdVector<platforms::LinkId, std::vector<Slot>> users_;
  std::vector<Slot> dirty_;
  std::optional<netsim::TimerId> rating_timer_;
};

}  // namespace toroid::cosim
