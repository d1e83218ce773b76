#pragma once
// Max-min fair rates, kept up to date while flows come and go: the work of a change follows what the change really
// moves, not the size of the network.
//
// Flows with the same route always have the same rate, so they form a class with a weight (their number). Rates are
// max-min fair if and only if no link carries more than its capacity and every class has a *bottleneck*: a link of its
// route that is full and on which no class has a larger rate (Bertsekas, Gallager, Data Networks, 2nd ed.,
// Section 6.5.2); such rates are unique. They are what progressive filling finds: all rates rise alike until a link is
// full, whose classes then stay at this level, while the others rise on.
//
// A solve repeats the filling in one sweep of the level from 0 upwards, but only of the classes whose rates the change
// may move. Each class is *settled*, with a rate and a bottleneck, or it *rises*. A link knows what its settled classes
// leave. A class joins those that rise:
//   - at level 0, if it is new, or its weight or the capacity of a link of its route has changed;
//   - at its own rate, if its bottleneck is not full at this level, or classes rise there that would pass it: all that
//     the link *holds* are released;
//   - below its rate, if it is in the way: a link where others rise would be full below this rate if it kept it. The
//     link is full not now but at the level at which it were full if those in the way rose too (its water level).
// Where a link is full with nobody in the way, its rising classes settle, with it as their bottleneck.
//
// Why it ends: a class joins only if it has not settled in this solve, so each joins and settles at most once.
//
// Why it is exact. While the level rises,
//   (a) no link on which classes rise is due below the present level, or it would have come up before. So what a class
//       takes when it settles is at most its share of what is left there: no link ever carries more than its capacity;
//   (b) classes join at most at their own rate: at level 0, in the way (below it) or released (at it). So whatever has
//       a rate below the present level keeps it.
// At the end each class has a bottleneck. Take one and the link M that holds it:
//   - It settled in this solve: M was full at that level, and no class there had a larger rate. By (b) a class can
//     join on M later only if it had that very rate and the level has not risen since; then M is due at once, and fills
//     again at this level.
//   - It has not joined. M was full, and the rate h of what it holds was the largest there. If no other class of M left
//     or settled lower, they have at least what they had, and M is still full. Else M was relieved and looked at when
//     the level was h. It did not release what it holds, so there was room for h or less of each that rises there; by
//     (a) for h, so that M was due at h and they settled at h. Nor can one pass h in the first case: M, full from the
//     beginning, would have been due below h, where the class was in the way.
// The argument is about real numbers; the code takes for equal what differs by less than one part in 10^11.
//
// The next event of the sweep is found through the classes that rise, which are far fewer than their links: each
// queues the lowest level at which one of its links is due. Such levels only rise as others settle, so what is queued
// is a lower bound, checked when it is its turn. They fall only when a class joins, and that class queues them itself.
// If it settles with a larger rate than it had, it stays queued to guard the links of its route; with a lower one it
// leaves them more than before, so that the old bounds hold. (Lowering what a link holds relieves the link: it is
// queued at the level at which it holds the others.)
//
// With a *tolerance* t a link of capacity C may owe t C, or be owed as much. After each solve
//   (c) no link carries more than (1 + t) C, and each class has a bottleneck that carries (1 - t) C or more, on which
//       no class has a larger rate.
// The rates are thus those that are max-min fair for capacities that differ from the true ones by at most the part t,
// however many solves came before. What a link owes is what it carries beyond C: no sum beside it can drift. The sweep
// has three other rules:
//   - What is left of a link is counted from (1 + t) C. If classes are in the way where the link is due, it pays: from
//     here to the end of the solve its room is counted from C. If none is, its rising classes settle at the lowest
//     level that leaves the order: of the level of the last that settled, the largest rate on the link, and the level
//     at which C were full, the largest. Where all flows of a machine begin together that is the exact one.
//   - A relieved link pays and releases what it holds only if it would carry less than (1 - t) C. Else what rises there
//     settles at the rate of what the link holds.
//   - A class that joins queues each link that holds others at a rate h that the class could pass, as if the link were
//     relieved.
// Why (c) holds. Of (1 + t) C, (a) is true: to pay makes less room. A link that has paid holds none, as the classes
// that it held had its largest rate, so that they were in the way, or were released. A link that holds some carries
// less only if a class of it leaves or settles lower; either relieves it. None passes h on a link that was not
// relieved: classes of weights w and rates r that rise there find at most 2 t C and the sum of their w r left. The link
// is due at h or below unless w (h - r) < 2 t C for one of them; as w >= 1, this one has queued the link, at which all
// settle at h or which releases what it holds. Debug builds look at (c) after each solve.

#include <boost/container/small_vector.hpp>

#include "core/huge_pages.hpp"
#include "netsim/time/event_queue.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::netsim {

class MaxMin {
 public:
  using ClassId = std::uint32_t;
  using Link = platforms::LinkId;

  /// Capacities by link, positive; rates have their unit. Each link may carry more or less than would be fair by a
  /// share of its capacity, `tolerance`, less than 1.
  explicit MaxMin(const core::IdVector<Link, double>& capacities, double tolerance = 0);

  /// A class of flows over these links (at least one, none twice), of weight 0: it has no rate before its weight is
  /// set.
  ClassId add(std::span<const Link> route);
  /// Changes the number of flows of the class; 0 takes it out, and its id may be given to another.
  void set_weight(ClassId id, std::uint32_t flows);
  /// Changes the capacity of a link: all its classes get new rates.
  void set_capacity(Link link, double capacity);

  /// Brings all rates up to date. Returns the classes whose rate may have changed, valid until the next call.
  std::span<const ClassId> solve();

  /// Rate of each flow of the class, after solve().
  double rate(ClassId id) const { return classes_[id].rate; }
  /// The link that holds the class, after solve().
  Link bottleneck(ClassId id) const { return classes_[id].bottleneck; }
  /// The largest rate on a link that is full but for what it may owe, after solve(); infinity on one that is not. Takes
  /// time in proportion to the classes on the link if it is.
  double level(Link link) const;
  /// Calls visit(ClassId) for the classes on the link, those of weight 0 included.
  template <class Visit>
  void for_each_on(Link link, Visit visit) const {
    for (const auto& member : members_[link]) visit(member.id);
  }
  std::span<const Link> route(ClassId id) const { return {&routes_[classes_[id].route], classes_[id].hops}; }
  /// How many links of routes and classes of links it has looked at until now.
  std::uint64_t visits() const { return visits_; }

 private:
  static constexpr Link no_link = Link::none();
  static constexpr ClassId no_class = ~ClassId{0};
  static constexpr double never = std::numeric_limits<double>::infinity();
  /// Rates that differ by less than this part are equal, a link with less than this part left is full: far above
  /// rounding, far below anything that matters.
  static constexpr double alike = 1e-11;

  enum class Standing : std::uint8_t {
    settled,  ///< not touched by this solve
    rising,
    raised,  ///< settled in this solve with a larger rate than before
    lowered  ///< settled in this solve with a rate that is not larger
  };
  struct Class {
    double rate = 0;  ///< while the class rises, the rate that it had
    std::uint32_t weight = 0;
    std::uint32_t route = 0;  ///< where its links begin in routes_, in a block of a power of two
    std::uint32_t hops = 0;
    Link bottleneck = no_link;
    Standing standing = Standing::settled;
  };
  /// What the inner loops look at, kept apart to stay in the cache.
  struct Room {
    double left = 0;    ///< what the settled classes leave of most()
    double rising = 0;  ///< weight of the classes that rise
  };
  /// The classes that a link holds: they are settled, and it is their bottleneck.
  struct Hold {
    double level = 0;           ///< their rate
    std::uint32_t classes = 0;  ///< their number, without those that settled in this solve
  };
  struct Member {
    ClassId id;
    std::uint32_t hop;
  };
  /// The flows on a link. Most links have few, which are stored in the link itself.
  using Members = boost::container::small_vector<Member, 5>;
  /// At this level the link may be due, as the class sees it; or, without a class, as it was relieved.
  struct Event {
    double level;
    ClassId id;
    Link link;
    bool operator<(const Event& other) const { return level < other.level; }
  };

  template <class T>
  class ByLink {
   public:
    explicit ByLink(std::size_t links, T value = {}) : all_(links, value) {}
    T& operator[](Link link) { return all_[link.index()]; }
    const T& operator[](Link link) const { return all_[link.index()]; }
    std::size_t size() const { return all_.size(); }

   private:
    core::LargeVector<T> all_;
  };

  void detach(ClassId id);
  void let_go(ClassId id);
  bool is_fair(ClassId id) const;
  bool all_are_fair() const;
  void join(ClassId id);
  void queue_relief(Link link);
  void sweep();
  /// The most that the link may carry, and the part of it that it may owe.
  double most(Link link) const { return capacities_[link] * (1 + tolerance_); }
  double debt(Link link) const { return capacities_[link] * tolerance_; }
  bool pay(Link link);
  double lowest_level(Link link) const;
  /// The level at which the link is full if nobody is in the way.
  static double level_of(const Room& room) { return room.rising > 0 ? room.left / room.rising : never; }
  Event next_event(ClassId id, Link guess);
  void enqueue(ClassId id, Link guess);
  void fill(Link link);
  void relieve(Link link);
  double find_in_the_way(Link link, double level);
  static bool in_the_way(const Class& c, double level) {
    return (c.standing == Standing::settled) & (c.rate > level * (1 + alike));
  }
  void settle(Link link, double level);
  void commit();
  void sum_up();

  core::IdVector<Link, double> capacities_;
  double tolerance_;
  ByLink<Room> rooms_;
  ByLink<Hold> holds_;
  ByLink<std::uint8_t> is_holding_;  ///< whether the link holds any class: small enough to stay in the cache
  // With a tolerance, by link:
  ByLink<float> guards_;          ///< a class of a larger rate may pass what the link holds; infinity if it holds none
  ByLink<std::uint8_t> is_paid_;  ///< whether what the link owes is paid in this solve
  ByLink<Members> members_;
  core::LargeVector<Class> classes_;
  core::LargeVector<Link> routes_;              ///< links of the routes of all classes
  core::LargeVector<std::uint32_t> positions_;  ///< where a class stands among the members of each of these links
  std::vector<std::vector<ClassId>> free_;      ///< unused classes, by the logarithm of the size of their block
  std::vector<ClassId> changed_;
  std::vector<Link> relieved_;
  std::size_t joins_ = 0;  ///< joins since the rooms were summed up
  std::uint64_t visits_ = 0;
  // Of the present solve:
  std::vector<ClassId> joined_;
  std::vector<Link> paid_;
  std::vector<ClassId> in_the_way_;  ///< classes in the way on the link that is being filled
  Heap<Event> events_;
  std::size_t rising_ = 0, reliefs_ = 0;  ///< classes that rise, events without a class
  double level_ = 0;
};

/// What the links of a machine can carry, bytes/s, for the solver.
inline core::IdVector<platforms::LinkId, double> link_capacities(const platforms::Machine& machine) {
  core::IdVector<platforms::LinkId, double> all;
  for (const platforms::LinkId link : machine.links()) all.add(machine.link_bandwidth(link));
  return all;
}

}  // namespace toroid::netsim
