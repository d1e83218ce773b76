#pragma once
// A part of a fabric: some of its routers, with the events that happen there, the packets that are there, and a time
// that is the same as in all parts. In a tick no part looks at what another part has: a packet or a credit that goes
// to a router of another part is a letter, which comes in a later step. Parts can do a tick one after
// another or at the same time, with the same result.
//
// This is what a part remembers, and what is done seldom. What is done for every packet is in switching.hpp.

#include "netsim/packet/state.hpp"

namespace toroid::netsim {
class StateWalk;
}

namespace toroid::netsim::packet {

// A list that is filled and emptied all the time: what is added costs no call.

/// A list that keeps its memory when it is cleared. Elements may be added during a loop over it by index.
template <class T>
class List {
 public:
  void add(const T& element) {
    if (size_ == elements_.size()) grow();
    elements_[size_++] = element;
  }
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  [[gnu::noinline]] void grow() { elements_.resize(2 * size_ + 16); }

  std::vector<T> elements_;
  std::size_t size_ = 0;
};

// What goes from one part of a fabric to another: packets and credits that leave for a router of another part. A letter
// that is sent in a step can be taken in the next one. In between all parts have done their step, so a box is never
// written and read at the same time.

/// An event at a router of another part, and the packet that comes in there, if it is an arrival.
struct Letter {
  Tick at = 0;
  Event event{};
  Packet packet{};
};

class Post {
 public:
  explicit Post(std::size_t parts) : parts_(parts), boxes_(parts * parts) {}

  std::size_t parts() const { return parts_; }

  void send(std::size_t from, std::size_t to, const Letter& letter) {
    auto& bag = boxes_[from * parts_ + to][open_];
    bag.letters.push_back(letter);
    bag.earliest = std::min(bag.earliest, letter.at);
  }
  /// Calls `read` with each letter to a part that was sent in the step before, sender by sender.
  template <class Read>
  void take(std::size_t to, Read read) {
    for (std::size_t from = 0; from < parts_; ++from) {
      auto& bag = boxes_[from * parts_ + to][1 - open_];
      if (bag.letters.empty()) continue;
      for (const auto& letter : bag.letters) read(letter);
      bag.letters.clear();
      bag.earliest = never;
    }
  }
  /// Ends a step. Called while no part works.
  void end_step() { open_ = 1 - open_; }
  /// The earliest tick of all letters that can be taken, or never. Called while no part works.
  Tick next() const {
    Tick earliest = never;
    for (const auto& box : boxes_) earliest = std::min(earliest, box[1 - open_].earliest);
    return earliest;
  }

 private:
  struct alignas(128) Bag {  // lines of the cache that no other thread writes
    std::vector<Letter> letters;
    Tick earliest = never;
  };

  std::size_t parts_, open_ = 0;
  std::vector<std::array<Bag, 2>> boxes_;  ///< by sender and receiver: letters of this step, and of the step before
};

using MessageId = std::uint32_t;

/// What a part did in a step that concerns the whole fabric.
struct News {
  /// A packet that has gone over a link, and not within the window of the usage.
  struct Carried {
    std::size_t carrier;
    std::uint32_t bytes;
    Tick duration;
  };
  std::vector<MessageId> left, arrived;  ///< messages that have left their node, and that have arrived
  std::vector<MessageId> done;           ///< messages that can be forgotten, except by events of this tick
  std::vector<Carried> carried;

  /// Adds the news of another part, which has none then.
  void take(News& other);
};

class Part {
 public:
  /// Makes part `number` of the fabric, of the `count` routers from `number` * `count` on, as far as there are so many.
  /// What is given by reference must outlive it.
  static std::unique_ptr<Part> make(State& state, Post& post, std::uint32_t number, std::uint32_t count);
  virtual ~Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// Lets everything happen that happens at a tick, which is that of next() or earlier.
  virtual void step(Tick tick) = 0;
  /// The tick at which something happens next, letters apart, or `never`.
  Tick next() const { return wheel_.next(); }
  /// Whether so much happens at the tick next() that it is worth while to let another thread do it.
  bool is_busy(Tick tick) const { return wheel_.has_many(tick); }
  /// Whether no packet is in the part.
  bool is_empty() const { return packets_.size() == 0; }
  /// Sets the time back to tick 0. Called only when nothing is left to happen.
  void begin_anew() { wheel_.reset(); }

  /// Lets a node of the part look at its messages at a tick that is not before the present one.
  void wake(NodeId node, Tick tick) { add(tick - wheel_.now(), Kind::wake, static_cast<std::uint32_t>(node.value())); }
  /// Ends a message to a node of the part whose arrival is known, or that was dropped: once it has arrived, that is
  /// told and it is forgotten.
  void end(MessageId id);

  News& news() { return news_; }
  /// Shows what is in the part's routers and what will happen there, with ticks relative to the present one. The fabric
  /// must have no other part. See walks.cpp.
  void walk(StateWalk& walk);
  /// Shows how far a message is on its way.
  void walk_message(StateWalk& walk, MessageId id);
  /// How often a packet has left a router.
  std::uint64_t hops() const { return hops_; }
  /// Packet::birth of the next packet that a node of this part sends.
  std::uint32_t births() const { return births_; }
  void set_births(std::uint32_t births) { births_ = births; }

 protected:
  Part(State& state, Post& post, std::uint32_t number, std::uint32_t count);

  enum class Kind : std::uint8_t { arrival, transferred, credit, request, injected, delivered, wake, ejected };

  static constexpr unsigned most_rows = in_order + most_classes;
  struct Place {
    std::uint32_t router, channel;
  };
  /// The name of a channel where it begins: the output, and which of its channels it is.
  struct Origin {
    std::uint32_t output;
    std::uint16_t channel;
  };
  struct Choice {
    std::int32_t room = -1;
    std::uint32_t channel = 0;  ///< the number of the channel of the port
  };

  // Numbers of things.

  /// Divides a number by a divisor of at least 2, which is given as inverse(divisor): 2^64 divided by it, rounded up.
  static std::uint32_t quotient(std::uint32_t number, std::uint64_t inverse) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>((Wide{inverse} * number) >> 64U);
  }
  static std::uint64_t inverse(std::uint32_t divisor) {
    return std::numeric_limits<std::uint64_t>::max() / divisor + 1;
  }
  std::uint32_t channel_of(std::uint32_t router, std::uint32_t channel) const {
    return router * layout_.channels() + channel;
  }
  Place place(std::uint32_t channel) const {
    const auto router = quotient(channel, per_channel_);
    return {router, channel - router * layout_.channels()};
  }
  std::uint32_t output_of(std::uint32_t router, Layout::Port port) const { return router * layout_.ports() + port; }
  /// The far ends of an output's channels, one after another.
  std::size_t far_ends_of(std::uint32_t output) const { return std::size_t{output} * layout_.most_channels(); }
  FarEnd& far_end(std::uint32_t output, std::uint32_t channel) { return far_ends_[far_ends_of(output) + channel]; }
  FarEnd& far_end(const Origin& of) { return far_end(of.output, of.channel); }
  Origin origin(const Place& at) const {
    const auto port = layout_.port_of_channel(at.channel);
    const auto router = layout_.is_link(port) ? layout_.before(at.router, port) : at.router;
    return {output_of(router, port), static_cast<std::uint16_t>(at.channel - layout_.first_channel(port))};
  }
  const LinkKind& kind_in(const Place& at) const {
    return layout_.kind_in(at.router, layout_.port_of_channel(at.channel));
  }
  // Behind outputs where packets are not bound, and behind the ports of nodes: Output::free tells what has room.
  void take_room(Output& output, std::uint32_t channel, std::int32_t bytes) {
    auto& room = far_end(number(output), channel).room;
    TOROID_ASSERT_HEAVY(room >= bytes);
    room -= bytes;
    if (room <= 0) output.free &= ~bit(channel);
  }
  void give_room(FarEnd& beyond, std::int32_t bytes) {
    beyond.room += bytes;
    TOROID_ASSERT_HEAVY(beyond.room <= state_.all_room(beyond));
  }
  void give_room(Output& output, std::uint32_t channel, std::int32_t bytes) {
    give_room(far_end(number(output), channel), bytes);
    output.free |= bit(channel);
  }
  std::uint32_t number(const Output& output) const { return static_cast<std::uint32_t>(&output - outputs_.data()); }
  std::uint32_t router(const Output& output) const { return quotient(number(output), per_output_); }
  NodeId node(const Output& output) const { return layout_.node(router(output), output.port); }

  /// The bytes of a packet, and whether they are the last of its message, in 32 bits.
  static constexpr std::uint32_t last_bit = 1U << 31U;
  static std::uint32_t bytes_and_last(const Packet& packet) { return packet.bytes | (packet.last ? last_bit : 0); }
  static std::uint32_t bytes(const Channel& channel) { return channel.bytes_and_last & ~last_bit; }
  /// The room that a packet takes: some, if it has no bytes, so that a channel with all its room is known to be empty.
  std::int32_t charge(std::uint32_t bytes) const {
    return options_.rings == Rings::bubble ? options_.packet_bytes : std::max(1, static_cast<std::int32_t>(bytes));
  }

  // Borders.

  /// Whether a channel, or an output, is of a router of this part.
  bool has_channel(std::uint32_t channel) const { return channel - first_channel_ < channels_here_; }
  bool has_output(std::uint32_t output) const { return output - first_output_ < outputs_here_; }
  void add(Tick delay, Kind kind, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0, std::uint16_t small = 0) {
    wheel_.add(wheel_.now() + delay, static_cast<std::uint16_t>(kind), a, b, c, small);
  }
  void post_packet(std::uint32_t packet, std::uint32_t channel, Tick delay);
  void post_credit(const Origin& to, std::int32_t bytes, Tick delay);

  void walk_outputs(StateWalk& walk);
  void walk_channels(StateWalk& walk);
  void walk_packet(StateWalk& walk, std::uint32_t id);
  void walk_sources(StateWalk& walk);
  void walk_event(StateWalk& walk, const Event& event);

  static std::uint64_t bit(std::uint32_t channel) { return std::uint64_t{1} << channel % 64; }
  std::uint32_t next_bit(const std::uint64_t* row, std::uint32_t turn) const;
  std::uint8_t choose_sides(const Message& message);

  /// A channel begins to leave a router: of its input one fewer may do so from now on.
  void take_crossbar(const Place& from) {
    const auto port = layout_.port_of_channel(from.channel);
    if (--may_leave_[output_of(from.router, port)] == 0) set_open(from.router, port, false);
  }
  void set_open(std::uint32_t router, Layout::Port port, bool open) {
    for (std::size_t w = 0; w < words_; ++w) {
      auto& word = open_[router * words_ + w];
      word = open ? word | of_port_[port * words_ + w] : word & ~of_port_[port * words_ + w];
    }
  }

  /// Notes a packet that has gone over a link by now for the windows of the usage. Nearly all packets go within one
  /// window, which ticks alone tell.
  void book_windows(std::size_t carrier, std::uint32_t bytes, const LinkKind& kind) {
    if (usage_.windows() == 0) return;
    const Tick duration = kind.duration(bytes);
    if (wheel_.now() >= state_.window.end || wheel_.now() - duration < state_.window.begin)
      news_.carried.push_back({carrier, bytes, duration});
  }

  State& state_;
  const LinkUsage& usage_;
  const Options options_;  // copies are nearer
  const Layout layout_;
  Routes& routes_;
  core::Pool<Message>& messages_;
  // What the state has of all routers.
  std::span<Channel> channels_;
  std::span<std::uint16_t> wanted_;
  std::span<FarEnd> far_ends_;
  std::span<Output> outputs_;
  std::span<std::uint64_t> waiting_;
  std::span<std::uint16_t> may_leave_;
  std::span<std::uint64_t> open_, of_port_;
  std::span<Source> sources_;
  std::span<std::uint64_t> flows_;
  std::uint64_t per_channel_, per_output_;  ///< inverse() of the channels and of the outputs of a router
  std::size_t rows_, words_;
  // Of this part:
  Wheel wheel_;
  core::Pool<Packet> packets_;
  std::uint32_t births_ = 0;
  std::uint64_t hops_ = 0;
  List<Output*> changed_outputs_;
  List<NodeId> changed_sources_;
  std::vector<std::uint64_t> candidates_;  ///< candidates of the output that chooses
  News news_;
  Post& post_;
  std::uint32_t number_;

 private:
  std::uint32_t routers_here_;
  std::uint32_t first_channel_, channels_here_, first_output_, outputs_here_;
};

}  // namespace toroid::netsim::packet
