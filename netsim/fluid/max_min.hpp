#pragma once
// Max-min fair rates, kept up to date while flows come and go: the work of a change follows what the change really
// moves, not the size of the network.
//
// Flows with the same route always have the same rate, so they form a class with a weight (their number). Rates are
// max-min fair if and only if no link carries more than its capacity and every class has a *bottleneck*: a link of its
// route that is full and on which no class has a larger rate (Bertsekas, Gallager, Data Networks, 2nd ed.,
// Section 6.5.2); such rates are unique.
//
// After a change, a set A of classes is solved anew by progressive filling while all others keep their rates as a fixed
// load. A begins as the changed classes and those whose bottleneck the change relieves. Why the result is right:
//   - It is feasible. Outside A there are only old rates of unchanged classes, which fitted before, so no link has less
//     than nothing left for A, and filling takes no more than that.
//   - Each class of A has a bottleneck among A: the link at which it froze is full, and no class of A on it is faster.
//   - Then every link that A touches is checked. A class outside A whose bottleneck is no longer full, or has a faster
//     class of A on it, joins A. If a class outside A is faster than those of A that froze on a link, the ones faster
//     than the link would give all its users join, at least the fastest. So a violated condition always adds a class
//     from outside, and if nobody joins, the conditions hold on every touched link.
//   - On the other links no rate has changed; on those that a departed class used the load only fell, and the classes
//     that they held back were put into A at the start.
// Since A only grows, this ends after at most as many rounds as there are classes. Rates are positive, since every
// class ends at the level of a full link. The argument is about real numbers; the code takes for equal what differs by
// less than one part in 10^11.
//
// A class that joins changes what its links leave to others at levels from its old rate or the level of the link on,
// whichever is lower: as a fixed load it took its old rate of the link at once, now it takes what all take. So what
// froze below all these levels stays frozen, and only the rest of the filling is done again. Links remember their load
// and the level at which they hold classes back: only where a link is a bottleneck are its classes looked at one by
// one.

#include <cstdint>
#include <span>
#include <vector>

namespace toroid::netsim {

class MaxMin {
 public:
  using ClassId = std::uint32_t;
  using Link = std::int32_t;

  /// Capacities by link, positive.
  explicit MaxMin(const std::vector<double>& capacities);

  /// A class of flows over these links (at least one, none twice), of weight 0: it has no rate before its weight is
  /// set.
  ClassId add(std::span<const Link> route);
  /// Changes the number of flows of the class; 0 takes it out, and its id may be given to another.
  void set_weight(ClassId id, std::uint32_t flows);

  /// Brings all rates up to date. Returns the classes whose rate may have changed, valid until the next call.
  std::span<const ClassId> solve();

  /// Rate of each flow of the class, after solve().
  double rate(ClassId id) const { return classes_[id].rate; }
  std::span<const Link> route(ClassId id) const { return classes_[id].route; }

 private:
  static constexpr Link no_link = -1;

  struct Class {
    double weight = 0;
    double rate = 0, next_rate = 0;  ///< next: as the filling of A has it
    Link bottleneck = no_link, next_bottleneck = no_link;
    std::uint64_t solved_in = 0;  ///< number of the solve whose A it is in
    bool frozen = false;          ///< has its next rate
    std::vector<Link> route;
    std::vector<std::uint32_t> positions;  ///< in the member list of each link
  };
  struct Member {
    ClassId id;
    std::uint32_t hop;
  };
  struct LinkState {
    double capacity = 0;
    double load = 0;                 ///< sum of weight * rate over the members
    double level = 0;                ///< rate of the classes whose bottleneck it is
    std::uint32_t held = 0;          ///< how many those are
    std::uint32_t updates = 0;       ///< of the load, since it was summed up anew
    std::uint64_t touched_in = 0;    ///< number of the solve in which A touched it; what follows belongs to that solve
    double fastest = 0;              ///< largest next rate of A's classes on it
    double next_level = -1;          ///< of A's classes that it holds back; negative if it holds none
    std::uint32_t held_fixed = 0;    ///< classes outside A whose bottleneck it is
    std::uint64_t unsettled_in = 0;  ///< number of the round that changed it last
    bool relieved = false;
    std::vector<Member> members;
  };
  /// What the inner loop of a filling looks at, kept apart to stay in the cache.
  struct Room {
    double left = 0;    ///< capacity left for A
    double rising = 0;  ///< weight of A's classes that still rise
  };
  /// The lowest level on the route of a class, and the link that has it.
  struct Candidate {
    double level;
    ClassId id;
    Link link;
  };

  Room& room(Link link) { return rooms_[static_cast<std::size_t>(link)]; }
  LinkState& state(Link link) { return links_[static_cast<std::size_t>(link)]; }
  bool in_a(const Class& c) const { return c.solved_in == solve_; }
  void relieve(Link link);
  void join(ClassId id);
  void detach(ClassId id);
  void take_in(std::span<const ClassId> joined);
  void rise_again(ClassId id);
  void unsettle(Link link);
  void fill();
  Candidate lowest_level(ClassId id);
  void touch_links(ClassId id);
  void freeze(Link id, double level);
  void check(Link id);
  double water_level(const LinkState& link, Link id);
  void commit();
  void change_load(LinkState& link, double difference);

  std::vector<LinkState> links_;
  std::vector<Room> rooms_;  ///< by link
  std::vector<Class> classes_;
  std::vector<ClassId> free_;
  std::vector<ClassId> a_, changed_;
  std::vector<ClassId> rising_;  ///< of A, those that the filling must give a rate
  std::vector<ClassId> order_;   ///< of A, those that have one, in ascending order of it
  std::vector<Link> unsettled_;  ///< links that the last filling changed
  std::vector<Link> relieved_;
  std::vector<Candidate> heap_;
  std::vector<std::pair<double, double>> demands_;
  std::uint64_t solve_ = 0, round_ = 0;
};

}  // namespace toroid::netsim
