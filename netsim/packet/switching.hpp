#pragma once
// What a fabric does for every packet: a few dozen short functions for each hop. They are compiled for each kind of
// fabric, all into the loop over the events, so that none asks what kind it is and none costs a call. Their bodies are
// in the files switching_*.hpp.

#include <bit>
#include <cstdint>
#include <utility>

#include "netsim/packet/fabric.hpp"

namespace toroid::netsim::packet {

/// Kinds of fabrics. `binds`: see Fabric::binds(). `one_word`: a row of channels is 64 at most.
template <bool Binds, bool OneWord>
struct FabricKind {
  static constexpr bool binds = Binds, one_word = OneWord;
};

template <class K>
class Switching final : public Fabric {
 public:
  Switching(const Machine& machine, const Options& options, LinkUsage& usage, Layout layout)
      : Fabric(machine, options, usage, std::move(layout)) {}
  void run(Tick end) override {
    for (auto tick = wheel_.next(); tick < end; tick = wheel_.next()) step(tick);
  }
  void run_to_news(Tick end) override {
    for (auto tick = wheel_.next(); tick < end && !has_news(); tick = wheel_.next()) step(tick);
  }

 private:
  void step(Tick tick) {
    if constexpr (K::one_word)
      step_at_once(tick);
    else
      all_of(tick);
  }
  /// With all that it calls in one piece.
  [[gnu::flatten]] void step_at_once(Tick tick) { all_of(tick); }
  void all_of(Tick tick);
  void happen(const Event& event);

  void arrive(std::uint32_t packet, std::uint32_t channel);
  void request(std::uint32_t channel, const Place& at);
  void request_output(Channel& channel, const Place& at, const Want& want);
  void withdraw(const Channel& channel, const Place& at);
  void give_credit(const Origin& to, std::int32_t bytes);
  void see_bound(const FarEnd& beyond, Output& output, std::uint32_t channel);
  Tick credit_delay(const Place& at, const Packet& packet, const LinkKind& out) const;
  void send_credit(const Origin& to, const Packet& packet, Tick delay);
  std::uint32_t take_head(Channel& channel);

  void change(std::uint32_t output);
  void arbitrate(std::uint32_t output);
  void bind(Output& output);
  bool serve_bound(Output& output);
  bool serve_one(Output& output);
  Choice room_beyond(const Output& output, unsigned which) const;
  Choice roomiest(std::uint32_t first, std::uint32_t count, std::uint32_t turn) const;
  void transmit(Output& output, std::uint32_t input, std::uint32_t to);
  void eject(Output& output, std::uint32_t input);
  std::uint32_t begin_to_leave(Output& output, Channel& channel);
  void transferred(Output& output, std::uint32_t channel, std::uint32_t bytes_and_last);
  void ejected(Output& output, std::uint32_t channel, std::uint32_t packet);

  void change_source(NodeId node);
  void inject(NodeId node);
  std::uint32_t cut_packet(MessageId id);
  void injected(NodeId node, std::uint32_t bytes_and_last, MessageId id);
  void deliver(std::uint32_t packet);

  /// Channels with a packet for an output, a bit each, in rows.
  std::size_t words() const { return K::one_word ? 1 : words_; }
  std::uint64_t* row(std::uint32_t output, unsigned which) { return &waiting_[(output * rows_ + which) * words()]; }
  bool any(const std::uint64_t* row) const {
    for (std::size_t w = 0; w < words(); ++w)
      if (row[w] != 0) return true;
    return false;
  }
  static std::uint32_t word(std::uint32_t channel) { return K::one_word ? 0 : channel / 64; }
  /// One of the channels of a row, or nobody: whose turn it is, or whose packet is oldest.
  std::uint32_t choose(const std::uint64_t* row, std::uint32_t turn, std::uint32_t router) const {
    if (options_.arbitration == Arbitration::age) return oldest(row, router);
    if constexpr (!K::one_word) return next_bit(row, turn);
    const auto bits = row[0], later = bits & (~std::uint64_t{0} << turn % 64);
    return bits == 0 ? nobody : static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : bits));
  }
};

}  // namespace toroid::netsim::packet
