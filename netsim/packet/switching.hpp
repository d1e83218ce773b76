#pragma once
// What a fabric does for every packet: a few dozen short functions for each hop. They are compiled for each kind of
// fabric, so that none asks what kind it is, and for the usual kinds all into the loop over the events, so that none
// costs a call. Their bodies are in the files switching_*.hpp.

#include "netsim/packet/part.hpp"

// Builds with heavy assertions do without: with them and with sanitizers, a compiler works on that one function for a
// quarter of an hour.
#ifdef TOROID_HEAVY_ASSERTIONS
#define TOROID_FLATTEN
#else
#define TOROID_FLATTEN [[gnu::flatten]]
#endif

namespace toroid::netsim::packet {

/// A kind of fabric: `binds` is what Options::binds() says, `few_rows` what State::has_few_rows() says, and
/// `limits_leaving` what Layout::limits_leaving() says.
template <bool Binds, bool FewRows, bool LimitsLeaving>
struct FabricKind {
  static constexpr bool binds = Binds, few_rows = FewRows, limits_leaving = LimitsLeaving;
};

template <class K>
class Switching final : public Part {
 public:
  Switching(State& state, Post& post, std::uint32_t number, std::uint32_t count) : Part(state, post, number, count) {}
  void step(Tick tick) override {
    if constexpr (K::few_rows && !K::limits_leaving)
      step_at_once(tick);
    else
      all_of(tick);
  }

 private:
  /// Does a tick, with all functions that it calls compiled into this one.
  TOROID_FLATTEN void step_at_once(Tick tick) { all_of(tick); }
  void all_of(Tick tick);
  void announce(const Event& event) const;
  void happen(const Event& event);

  void take_letters();
  void arrive(std::uint32_t packet, std::uint32_t channel);
  void line_up(std::uint32_t packet, std::uint32_t channel, const Place& at);
  void request(std::uint32_t channel, const Place& at);
  void request_output(Channel& channel, const Place& at, const Want& want);
  void withdraw(Output& output, const Channel& channel, const Place& at);
  void give_credit(const Origin& to, std::int32_t bytes);
  Tick credit_delay(const LinkKind& in, std::uint32_t bytes, const LinkKind& out) const;
  void leave_room(const Place& at, Tick came, std::uint32_t bytes, const LinkKind& out);
  void return_room(const Origin& to, const LinkKind& kind, Tick began, std::uint32_t bytes, Tick delay);
  void send_credit(const Origin& to, std::uint32_t bytes, Tick delay);
  std::uint32_t take_head(Channel& channel);

  void change(Output& output);
  void arbitrate_changed();
  void arbitrate(Output& output);
  void bind(Output& output);
  bool has_room(const Output& output, std::uint64_t channels) const;
  void bind(Output& output, std::uint64_t* waiting, std::uint64_t free, bool needs_room);
  bool serve_bound(Output& output);
  bool serve_one(Output& output);
  Choice room_beyond(const Output& output, unsigned which) const;
  bool fits(const Channel& channel, std::int32_t room) const { return room >= charge(bytes(channel)); }
  Choice roomiest(const Output& output, const ChannelSet& set, std::uint32_t turn) const;
  void transmit(Output& output, std::uint32_t input, std::uint32_t to);
  bool is_alone(const FarEnd& beyond, std::uint32_t channel, std::uint32_t bytes) const;
  void hand_on(const Place& from, std::uint32_t to, std::uint32_t packet, std::uint32_t bytes, const LinkKind& kind);
  void exit(const Place& from, const Origin& beyond, std::uint32_t packet, std::uint32_t bytes, const LinkKind& kind);
  void eject(Output& output, std::uint32_t input);
  std::uint32_t begin_to_leave(Output& output, Channel& channel, const Place& from);
  void transferred(Output& output, std::uint32_t channel);
  void end_to_leave(Output& output, std::uint32_t channel);
  void give_crossbar(const Output& output, const Place& from);
  void ejected(Output& output, std::uint32_t channel, std::uint32_t packet);

  void change_source(NodeId node);
  void inject(NodeId node);
  std::uint32_t cut_packet(MessageId id);
  void injected(NodeId node, std::uint32_t bytes_and_last, MessageId id);
  void deliver(std::uint32_t packet, Tick arrives);

  /// The number of words in a row.
  std::size_t words() const { return K::few_rows ? 1 : words_; }
  std::uint64_t* row(Output& output, unsigned which) {
    return K::few_rows ? &output.rows[which] : &waiting_[(number(output) * rows_ + which) * words()];
  }
  std::size_t rows() const { return K::few_rows ? rows_within : rows_; }
  bool any(const std::uint64_t* row) const {
    for (std::size_t w = 0; w < words(); ++w)
      if (row[w] != 0) return true;
    return false;
  }
  /// Whether a row has a channel of a port.
  bool any_of_port(const std::uint64_t* row, Layout::Port port) const {
    for (std::size_t w = 0; w < words(); ++w)
      if ((row[w] & of_port_[port * words() + w]) != 0) return true;
    return false;
  }
  /// The channels of a row that the crossbar lets leave. The row lasts until the next call.
  const std::uint64_t* able(const std::uint64_t* row, std::uint32_t router) {
    if constexpr (!K::limits_leaving) return row;
    for (std::size_t w = 0; w < words(); ++w) candidates_[w] = row[w] & open_[router * words() + w];
    return candidates_.data();
  }
  static std::uint32_t word(std::uint32_t channel) { return K::few_rows ? 0 : channel / 64; }
  /// The channel of a row with the longest age, or nobody.
  template <class Age>
  std::uint32_t oldest(const std::uint64_t* row, std::uint32_t router, Age age) const {
    std::uint32_t found = nobody, longest = 0;
    for (std::uint32_t w = 0; w < words(); ++w)
      for (auto bits = row[w]; bits != 0; bits &= bits - 1) {
        const auto channel = 64 * w + static_cast<std::uint32_t>(std::countr_zero(bits));
        const std::uint32_t its = age(channels_[channel_of(router, channel)]);
        if (found == nobody || its > longest) std::tie(found, longest) = std::pair(channel, its);
      }
    return found;
  }
  std::uint32_t oldest(const std::uint64_t* row, std::uint32_t router) const {
    return oldest(row, router, [this](const Channel& c) { return births_ - packets_[c.head].birth; });
  }
  /// One of the channels of a row, or nobody: whose turn it is, or whose packet is oldest.
  std::uint32_t choose(const std::uint64_t* row, std::uint32_t turn, std::uint32_t router) const {
    if (options_.arbitration == Arbitration::age) return oldest(row, router);
    if constexpr (!K::few_rows) return next_bit(row, turn);
    const auto bits = row[0], later = bits & (~std::uint64_t{0} << turn % 64);
    return bits == 0 ? nobody : static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : bits));
  }
};

}  // namespace toroid::netsim::packet

#undef TOROID_FLATTEN
