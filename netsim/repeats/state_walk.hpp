#pragma once
// A walk over all that decides how a run goes on. Each part of a simulation shows what it has to the walk, in an order
// that the program decides and not the numbers that things happen to have. The walk either looks, and makes a picture
// of the state that can be compared with others, or moves the state on in time. One description serves both, so what is
// compared is moved as well.

#include <bit>

#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::netsim {

/// A state as a walk saw it, with times relative to the present.
struct StatePicture {
  std::vector<std::uint64_t> words;  ///< equal in equal states
  std::vector<double> seconds;       ///< equal but for rounding, if times have that of a solver
  std::vector<double> parts;         ///< likewise, parts of what a transfer has in all

  std::uint64_t hash() const;
};

/// Parts and spans of time that differ by less than this, of the whole transfer and of the period, are equal.
inline constexpr double repeat_tolerance = 1e-12;

/// Whether the states are equal but for their words, `period` seconds apart.
bool are_near(const StatePicture& a, const StatePicture& b, double period);

class StateWalk {
 public:
  /// Things that are named by small numbers, which another one may get when they are gone. The first three kinds are
  /// named by their job.
  enum class Kind : std::uint8_t { request, message, strand, flow, timer, packet_message, packet };

  /// Parts of a state.
  enum class Part : std::uint8_t {
    none,
    flows,
    cards,
    cores,
    queues,
    timers,
    times,
    own_traffic,
    routers,
    turns,
    charges,
    graphs
  };
  /// What no walk sees, so that tests can show that it is missed.
  static inline Part unseen = Part::none;

  /// Shows a part of the state.
  template <class Show>
  void show(Part part, Show show) {
    const Sizes before = sizes();
    show();
    if (part == unseen && !moves_) cut(before);
  }

  /// What times are of an engine: with the rounding of a solver, or exact.
  enum class Times : std::uint8_t { rounded, exact };

  /// From now on the walk looks at a state, at the time `now`.
  void begin_look(const Time& now, Times times);
  /// From now on the walk moves the state on by a time.
  void begin_move(const Time& by);

  /// The number of a job in a walk.
  using JobNumber = std::uint32_t;
  /// Comes to the next job. `operations` are those that each of its ranks has begun; or by how many a walk that moves
  /// the state lets each go on. They must outlive the walk.
  JobNumber begin_job(std::span<const std::uint64_t> operations);
  /// Comes back to a job of this walk.
  void enter(JobNumber job) { job_ = &jobs_[job]; }

  bool moves() const { return moves_; }
  const Time& by() const { return by_; }
  const StatePicture& picture() const { return picture_; }
  /// The state has something that cannot be compared.
  void refuse() { refused_ = true; }
  bool has_refused() const { return refused_; }

  /// A number that is the same in equal states.
  template <class Number>
  void same(Number number) {
    if (!moves_) picture_.words.push_back(static_cast<std::uint64_t>(number));
  }
  void same(double number) { same(std::bit_cast<std::uint64_t>(number)); }
  /// Two numbers of 32 bits.
  template <class A, class B>
  void same(A a, B b) {
    same(std::uint64_t{word_of(a)} << 32U | word_of(b));
  }
  template <class Tag>
  void same(core::Id<Tag> id) {
    same(id.value());
  }
  /// Several numbers, one after another.
  template <class... Numbers>
  void each(Numbers... numbers) {
    (same(numbers), ...);
  }
  /// Seconds that are the same in equal states but for rounding.
  void span(double seconds) {
    if (!moves_) picture_.seconds.push_back(seconds);
  }
  /// A part of a transfer.
  void part(double part) {
    if (!moves_ && unseen != Part::times) picture_.parts.push_back(part);
  }
  /// A point in time that matters.
  void time(Time& time) {
    if (moves_)
      time += by_;
    else if (unseen != Part::times)
      look_at(time - now_);
  }
  /// The index of an operation of a rank of the job.
  void operation(std::uint64_t& index, workloads::Rank rank) {
    const auto operations = job_->operations[rank.index()];
    if (moves_)
      index += operations;
    else
      same(operations - index);
  }
  /// How somebody came here, which decides nothing but is told at the end.
  void history(History& history) { histories_.push_back(&history); }
  /// The histories of the last walk, in its order; valid until the simulation goes on.
  const std::vector<History*>& histories() const { return histories_; }

  /// Comes to a thing, whose name from now on is how many the walk had come to before. Returns whether this was the
  /// first time: then all that it has must be shown.
  bool meet(Kind kind, std::uint32_t id);
  bool has_met(Kind kind, std::uint32_t id) {
    const auto& names = this->names(kind);
    return id < names.size() && names[id] > first_;
  }

  /// Calls of collectives of the job are numbered, and only the difference of two numbers matters.
  void call(workloads::CommId communicator, std::uint32_t number);

 private:
  static constexpr std::size_t kinds_of_jobs = 3, kinds = 7;
  using Names = std::vector<std::uint64_t>;  ///< names by id; those of earlier walks are at most first_
  struct Calls {
    std::uint64_t walk = 0;
    std::uint32_t first = 0;
  };
  struct Job {
    std::span<const std::uint64_t> operations = {};
    std::array<Names, kinds_of_jobs> names = {};
    std::vector<Calls> calls = {};  ///< calls by communicator: the number that this walk saw first
  };

  /// Numbers of things in the lists that a look makes.
  using Sizes = std::array<std::size_t, 4>;
  Sizes sizes() const {
    return {picture_.words.size(), picture_.seconds.size(), picture_.parts.size(), histories_.size()};
  }
  void cut(const Sizes& sizes);

  template <class Number>
  static std::uint32_t word_of(Number number) {
    return static_cast<std::uint32_t>(number);
  }
  template <class Tag>
  static std::uint32_t word_of(core::Id<Tag> id) {
    return static_cast<std::uint32_t>(id.value());
  }

  Names& names(Kind kind) {
    const auto number = static_cast<std::size_t>(kind);
    return number < kinds_of_jobs ? job_->names[number] : names_[number - kinds_of_jobs];
  }
  std::uint64_t& name_of(Kind kind, std::uint32_t id);
  void begin();

  void look_at(const Time& span) {
    if (times_ == Times::rounded) return picture_.seconds.push_back(span.seconds());
    const auto [high, low] = span.words();
    same(high);
    same(low);
  }

  bool moves_ = false, refused_ = false;
  Times times_ = Times::rounded;
  Time now_, by_;
  StatePicture picture_;
  std::vector<History*> histories_;
  std::deque<Job> jobs_;
  Job* job_ = nullptr;         ///< the job that the walk is at
  JobNumber jobs_so_far_ = 0;  ///< jobs that this walk has come to
  std::array<Names, kinds - kinds_of_jobs> names_;
  std::uint64_t first_ = 0, last_ = 0;  ///< names that were given before this walk, and until now
  std::uint64_t walks_ = 0;
};

}  // namespace toroid::netsim
