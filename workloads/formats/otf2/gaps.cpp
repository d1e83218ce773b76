#include "workloads/formats/otf2/rank.hpp"

namespace toroid::workloads::otf2 {

std::size_t HalfMessages::Side::before(std::size_t gap) const {
  const auto after = std::partition_point(ends.begin(), ends.end(), [&](const End& end) { return end.stretch <= gap; });
  return static_cast<std::size_t>(after - ends.begin());
}

void HalfMessages::note(Rank rank, const std::vector<Event>& events, Comms& comms) {
  using Kind = Event::Kind;
  auto& gaps = gaps_[rank];
  for (const auto& event : events) {
    if (event.kind == Kind::switched && event.bytes == 0) ++gaps;
    const bool is_sent = event.kind == Kind::send || event.kind == Kind::isend;
    if (!is_sent && event.kind != Kind::recv && event.kind != Kind::irecv_end) continue;
    if (!comms.error_of(event.what, rank).empty()) continue;  // the reader of the rank tells it
    const auto comm = comms.of(event.what, rank);
    const auto partner = comm.rank_of(event.partner);
    if (partner == no_process) continue;
    const auto from = is_sent ? comm.me : partner, to = is_sent ? partner : comm.me;
    auto& [sent, received] = channels_[Channel(comm.id, from, to, event.tag)];
    sent.rank = comm.members->member(from);
    received.rank = comm.members->member(to);
    (is_sent ? sent : received).ends.push_back({event.number, event.bytes, gaps});
  }
}

void HalfMessages::find() {
  for (const auto& [channel, sides] : channels_) {
    const auto& [sent, received] = sides;
    const auto sends = sent.ends.size(), receives = received.ends.size(), gaps = gaps_of(sent);
    if (gaps == gaps_of(received)) find_in(sent, received, gaps);
    if (gaps == 0 && gaps_of(received) == 1 && sends > receives) leave_out(sent, received.before(0), sends - receives);
    if (gaps == 1 && gaps_of(received) == 0 && receives > sends) leave_out(received, sent.before(0), receives - sends);
  }
  channels_.clear();
}

std::size_t HalfMessages::gaps_of(const Side& side) const {
  const auto found = gaps_.find(side.rank);
  return found == gaps_.end() ? 0 : found->second;
}

void HalfMessages::leave_out(const Side& side, std::size_t first, std::size_t count) {
  TOROID_ASSERT(first + count <= side.ends.size());
  for (const auto& end : std::span(side.ends).subspan(first, count)) ends_.insert({side.rank, end.event});
}

/// Goes from gap to gap. Before a gap, what was received are the first of the sends, and the other sends are under way.
/// After it come those of them that were not received in it, then what was sent in it, then what was sent after it.
void HalfMessages::find_in(const Side& sent, const Side& received, std::size_t gaps) {
  constexpr std::size_t most_left_out = 64;  // messages at a gap
  const auto& sends = sent.ends;
  const auto& receives = received.ends;
  std::vector<std::pair<std::size_t, std::size_t>> left_sends, left_receives;  // first, number
  std::size_t s = 0, r = 0;                                                    // what is not yet matched
  for (std::size_t gap = 0; gap < gaps; ++gap) {
    const bool is_last = gap + 1 == gaps;
    const auto begun = sent.before(gap), ended = received.before(gap);
    const auto next_begun = is_last ? sends.size() : sent.before(gap + 1),
               next_ended = is_last ? receives.size() : received.before(gap + 1);
    if (ended - r > begun - s) return;
    s += ended - r;
    r = ended;
    const auto under_way = begun - s, later = next_ended - r;
    const auto explains = [&](LeftOut out) {
      const auto first = under_way - out.sends;  // so many receives are of what was under way
      const bool all_come = later >= first + out.receives;
      if (!all_come && (is_last || out.receives > 0)) return false;
      const auto of_later = all_come ? later - first - out.receives : 0;
      if (is_last ? begun + of_later != sends.size() : begun + of_later > next_begun) return false;
      for (std::size_t k = 0; k < later; ++k) {
        if (k >= first && k < first + out.receives) continue;
        const auto& send = k < first ? sends[s + out.sends + k] : sends[begun + k - first - out.receives];
        if (send.bytes != receives[r + k].bytes) return false;
      }
      return true;
    };
    std::optional<LeftOut> found;
    for (std::size_t all = 0; all <= std::min(under_way + later, most_left_out) && !found; ++all)
      for (std::size_t n = 0; n <= std::min(all, under_way) && !found; ++n)
        if (all - n <= later && explains({n, all - n})) found = LeftOut{n, all - n};
    if (!found) return;
    const auto first = under_way - found->sends;
    left_sends.emplace_back(s, found->sends);
    left_receives.emplace_back(r + first, found->receives);
    s += found->sends + later - (later < first ? 0 : found->receives);
    r = next_ended;
  }
  for (const auto& [first, count] : left_sends) leave_out(sent, first, count);
  for (const auto& [first, count] : left_receives) leave_out(received, first, count);
}

}  // namespace toroid::workloads::otf2
