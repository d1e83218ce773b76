#include "netsim/packet/switching.hpp"

#include <utility>

#include "netsim/packet/switching_channels.hpp"
#include "netsim/packet/switching_nodes.hpp"
#include "netsim/packet/switching_outputs.hpp"

namespace toroid::netsim::packet {

/// All that happens at a tick.
template <class K>
inline void Switching<K>::all_of(Tick tick) {
  if (post_.parts() > 1) take_letters();
  do {
    wheel_.take(
        tick, [&](const Event& event) { happen(event); }, [&](const Event& event) { announce(event); });
    while (!changed_sources_.empty() || !changed_outputs_.empty()) {
      for (std::size_t i = 0; i < changed_sources_.size(); ++i) inject(changed_sources_[i]);
      changed_sources_.clear();
      arbitrate_changed();
      changed_outputs_.clear();
    }
  } while (wheel_.has_more());
}

/// Asks the memory for each output some time before its turn, as announce() does for events.
template <class K>
inline void Switching<K>::arbitrate_changed() {
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < changed_outputs_.size(); ++i) {
    if (i + ahead < changed_outputs_.size()) __builtin_prefetch(changed_outputs_[i + ahead], 1);
    arbitrate(*changed_outputs_[i]);
  }
}

/// What the event will look at first is asked of the memory: on large machines that takes longer than the event.
template <class K>
inline void Switching<K>::announce(const Event& event) const {
  const auto fetch = [](const auto& what) { __builtin_prefetch(&what, 1); };
  switch (static_cast<Kind>(event.kind)) {
    case Kind::arrival:
      fetch(packets_[event.a]);
      fetch(channels_[event.b]);
      if (event.c == nobody) return;
      if constexpr (!K::binds) fetch(outputs_[event.c]);  // else only credits that somebody waits for look at it
      return fetch(far_ends_[far_ends_of(event.c) + event.small]);
    case Kind::transferred:
    case Kind::ejected:
      fetch(outputs_[event.a]);
      return fetch(channels_[event.b]);
    case Kind::credit:
      fetch(outputs_[event.a]);
      return fetch(far_ends_[far_ends_of(event.a) + event.small]);
    default:
      return;
  }
}

template <class K>
inline void Switching<K>::happen(const Event& event) {
  switch (static_cast<Kind>(event.kind)) {
    case Kind::arrival:
      if (event.c != nobody) give_credit({event.c, event.small}, charge(packets_[event.a].bytes));
      return arrive(event.a, event.b);
    case Kind::transferred:
      return transferred(outputs_[event.a], event.b);
    case Kind::ejected:
      return ejected(outputs_[event.a], event.b, event.c);
    case Kind::credit:
      return give_credit({event.a, event.small}, static_cast<std::int32_t>(event.b));
    case Kind::request:
      return request(event.a, place(event.a));
    case Kind::injected:
      return injected(NodeId(event.a), event.b, event.c);
    case Kind::delivered:
      return end(event.a);
    case Kind::wake:
      return change_source(NodeId(event.a));
  }
}

std::unique_ptr<Part> Part::make(State& state, Post& post, std::uint32_t number, std::uint32_t count) {
  const bool few = state.has_few_rows(), limits = state.layout.limits_leaving();
  const auto made = [&]<bool Binds, bool FewRows, bool Limits>() -> std::unique_ptr<Part> {
    return std::make_unique<Switching<FabricKind<Binds, FewRows, Limits>>>(state, post, number, count);
  };
  const auto made_of = [&]<bool Binds, bool FewRows>() {
    return limits ? made.template operator()<Binds, FewRows, true>()
                  : made.template operator()<Binds, FewRows, false>();
  };
  if (state.binds())
    return few ? made_of.template operator()<true, true>() : made_of.template operator()<true, false>();
  return few ? made_of.template operator()<false, true>() : made_of.template operator()<false, false>();
}

}  // namespace toroid::netsim::packet
