#pragma once
// What writers of traces need of a run: what a rank did as a sequence of events in the order in which they want them,
// what MPI calls it, and how busy links were.

#include <unordered_map>

#include "toroid/netsim/result.hpp"

namespace toroid::views {

/// What kind of thing a call is, for colours and regions.
std::string_view category(workloads::OpKind kind);
/// What a rank does within a call: `message on its way`.
std::string_view to_words(netsim::Doing doing);

/// Beginnings and ends are nested, and no event is before the one that precedes it.
struct RankEvent {
  enum class What : std::uint8_t {
    enter_call,
    leave_call,
    enter_phase,  ///< within a call that is no computation: what the rank waits for, or that it combines values
    leave_phase,
    launch,  ///< a message of this rank sets out
    arrive   ///< a message to this rank arrives
  };
  std::int64_t time = 0;  ///< ticks since the start of the run
  What what = What::enter_call;
  std::uint32_t number = 0;  ///< counts calls and phases of the rank, messages of the run
};

/// When messages set out and arrive.
enum class MessageTimes : std::uint8_t {
  /// The times at which messages travel.
  travel,
  /// The times that MPI sees: from the send on, until the message has arrived, and with it all that were sent before it
  /// from the same rank, with the same context and tag. The n-th arrival of these is that of the n-th send.
  matched
};

/// Ticks in a second where a tick is a nanosecond.
inline constexpr std::int64_t nanosecond_ticks = 1'000'000'000;

/// The ranks of a run, one after another.
class RankTimelines {
 public:
  /// The timeline of the result must outlive it. Throws InputError on runs of more than 2^63 ticks.
  RankTimelines(const netsim::Result& result, std::int64_t ticks_per_second, MessageTimes times = MessageTimes::travel);

  std::size_t ranks() const { return timeline_.calls.size(); }
  std::int64_t ticks(double seconds) const;
  const netsim::Call& call(workloads::Rank rank, std::uint32_t number) const { return timeline_.calls[rank][number]; }
  const netsim::Phase& phase(workloads::Rank rank, std::uint32_t number) const {
    return timeline_.phases[rank][number];
  }
  const netsim::MessageFlight& message(std::uint32_t number) const { return timeline_.messages[number]; }
  auto rank_ids() const { return timeline_.calls.ids(); }

 private:
  friend class RankEvents;
  std::int64_t launch(std::uint32_t message) const;
  std::int64_t arrival(std::uint32_t message) const;
  void match(workloads::Rank receiver);

  const netsim::Timeline& timeline_;
  std::int64_t ticks_per_second_;
  MessageTimes times_;
  /// Numbers of messages by rank, in the order of their ticks, then of their numbers.
  core::IdVector<workloads::Rank, std::vector<std::uint32_t>> launched_, arrived_;
  std::unordered_map<std::uint32_t, std::int64_t> later_;  ///< arrivals that wait for those of messages sent before
};

/// The events of a rank, one by one. Calls that take no tick and launch nothing are left out. A message that is
/// launched by the call that begins in the same tick stands right after that beginning; others, and arrivals, stand
/// before all that happens in the same tick, as the call that they end has not been left yet.
class RankEvents {
 public:
  RankEvents(const RankTimelines& of, workloads::Rank rank);

  /// The next event, or nothing after the last.
  std::optional<RankEvent> next();

 private:
  std::optional<RankEvent> following();
  std::optional<RankEvent> nested();
  bool is_due(std::uint32_t launched, const std::optional<RankEvent>& nested) const;
  bool is_launched(std::uint32_t message) const;
  bool is_left_out(std::uint32_t call) const;
  void pass(const RankEvent& nested);

  const RankTimelines& all_;
  workloads::Rank rank_;
  const std::vector<netsim::Call>& calls_;
  const std::vector<netsim::Phase>& phases_;
  const std::vector<std::uint32_t>&launched_, &arrived_;
  std::uint32_t next_call_ = 0, next_phase_ = 0;  ///< the call that comes next; the first phase that is not over
  std::size_t next_launch_ = 0, next_arrival_ = 0;
  bool in_call_ = false, in_phase_ = false;
  std::int64_t now_ = 0, told_ = 0;  ///< until when calls and phases are told, and all events are
};

struct BusyLink {
  std::string name;
  /// Times, in seconds, each with the share of the link's capacity that is used from then on, 0 to 1; 0 at the end.
  std::vector<std::pair<double, double>> use;
};

/// The links of result.bottlenecks(), the busiest first; none without windows (netsim::Run::keep_windows).
std::vector<BusyLink> busy_links(const netsim::Machine& machine, const netsim::Result& result);

/// The function of MPI that a call stands for: `MPI_Iallreduce`, `MPI_Ssend`. Empty for what is no call of MPI:
/// computations, the operations of a graph, and a rank that waits for the rest at its end.
std::string mpi_name(const netsim::Call& call);

}  // namespace toroid::views
