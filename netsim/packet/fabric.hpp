#pragma once
// A network of routers with finite buffers, packet by packet: virtual cut-through. A packet takes a link once the
// channel at its other end has room for all of it, and holds the link until it has gone over completely; it goes on
// from the next router as soon as its head is there. What leaves a channel gives the room back to the router before,
// by a credit that takes as long as the link. Each output chooses among all channels that have a packet for it first in
// line. The crossbar may limit how many channels of an input leave at once; nothing else in a router is short.
//
// A tick is done in two parts: first all its events, then the nodes and outputs that these have changed. What the order
// of the events, which is always the same, does decide: which of several packets that come at the same tick is the
// older one, or the first in a channel, which of two outputs gets a packet that may take either, and what is told
// first. There are two events for a hop, the arrival of the head and the end of the transfer: the credit comes with the
// arrival where the links are equally long. Of the last hop there is only the latter, if nobody is in the packet's way.
//
// This is the whole fabric: its time, and what is done once for each message. The routers are divided among parts
// (part.hpp), which do a tick one after another, or at the same time.

#include "netsim/packet/part.hpp"
#include "netsim/packet/team.hpp"

namespace toroid::netsim::packet {

/// How the work of a fabric is divided. The parts of a machine change the order of what happens at the same tick, and
/// so its results a little. They do not follow the number of threads, so results are the same for any number.
struct Division {
  std::size_t threads = 1;             ///< most threads, the caller's among them
  std::uint32_t least_routers = 8192;  ///< a machine with fewer is one part, others are two
  bool busy_ticks_only = true;         ///< whether threads do what happens at a tick together only if that is much
  bool backwards = false;  ///< whether one thread does the last part first, which must change nothing: for tests
};

class Fabric {
 public:
  using MessageId = packet::MessageId;

  /// Makes the fabric of a machine. What is given by reference must outlive it. Throws InputError as Layout does.
  Fabric(const Machine& machine, const Options& options, LinkUsage& usage, const Division& division = {});
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// The options, with the buffers that channels have.
  const Options& options() const { return state_.options; }
  const Layout& layout() const { return state_.layout; }
  double tick_seconds() const { return state_.layout.tick_seconds(); }
  Tick now() const { return now_; }
  /// Whether nothing is left to happen.
  bool idle() const { return next() == never; }
  /// The tick at which something happens next, or `never`.
  Tick next() const { return parts_.size() == 1 ? parts_.front()->next() : next_of_several(); }
  /// Restarts the ticks, with tick 0 at `time`. Called only when idle().
  void begin_anew(const Time& time);
  Time time_of(Tick tick) const { return epoch_ + Time(static_cast<double>(tick) * tick_seconds()); }
  /// The first tick that is not before a time, or `never` if that is too far away to be counted.
  Tick first_from(const Time& time) const;
  /// The first tick that is after a time, or `never` if that is too far away to be counted.
  Tick first_after(const Time& time) const;

  /// Lets a node send a message from `time` on, which is not before now(), packet by packet in turn with its other
  /// messages.
  MessageId send(NodeId from, NodeId to, std::uint64_t bytes, const Time& time);
  /// Drops a message: its packets that have not left their node never will, and nobody is told of it any more.
  void drop(MessageId id);
  /// Lets everything happen that happens before `end`.
  void run(Tick end) {
    for (auto tick = next(); tick < end; tick = next()) step(tick);
  }
  /// Lets things happen before `end` until has_news().
  void run_to_news(Tick end) {
    for (auto tick = next(); tick < end && !has_news(); tick = next()) step(tick);
  }
  /// The messages that have left their node, or, for arrived(), have arrived, since the list was last cleared. Messages
  /// that have arrived are forgotten.
  std::vector<MessageId>& left() { return news_->left; }
  std::vector<MessageId>& arrived() { return news_->arrived; }
  bool has_news() const { return !news_->left.empty() || !news_->arrived.empty(); }

  // What passes over iterations that repeat (repeats/).

  /// Whether the fabric can show its state: it has one part.
  bool tells_state() const { return parts_.size() == 1; }
  /// Shows all that is under way to a walk, or moves it on in time.
  void walk(StateWalk& walk);
  /// Shows how far a message is, unless the walk has met it.
  void walk_message(StateWalk& walk, MessageId id) { parts_.front()->walk_message(walk, id); }
  /// Shows what the links have carried to a tally, which the usage has seen. As long as the usage remembers what is
  /// booked, each packet is.
  void tally(Tally& tally);

  /// Tells the usage what the links have carried.
  void report();
  /// How often a packet has left a router.
  std::uint64_t hops() const;

 private:
  bool is_at_rest() const;
  bool is_worth_a_team(Tick tick) const;
  void step(Tick tick);
  [[noreturn]] void fail_late() const;
  void step_several(Tick tick);
  Tick next_of_several() const;
  Part& part_of(NodeId node) { return *parts_[state_.layout.router(node) / routers_of_part_]; }
  /// The packets of a message that its node has not sent.
  std::uint32_t unsent(const Message& message) const;

  void book();
  void look_for_window();
  void tell_window();
  LinkId link(std::size_t carrier) const;
  std::uint64_t carried(std::size_t carrier) const;
  LinkUsage::Count count(std::size_t carrier) const;

  State state_;
  Division division_;
  std::uint32_t routers_of_part_;
  Post post_;
  std::vector<std::unique_ptr<Part>> parts_;
  Time epoch_;  ///< the time at which ticks began
  Tick now_ = 0;
  News* news_;                       ///< news of the first part, and after a step those of the others
  std::vector<std::uint64_t> told_;  ///< bytes of each carrier that the windows of the usage have
  std::unique_ptr<Team> team_;       ///< nobody if one thread is to do all parts; ends before what its threads use
};

}  // namespace toroid::netsim::packet
