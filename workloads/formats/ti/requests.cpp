// Which requests the waits of a rank are for, by an example. Rank 0 does
//
//   0 irecv 1 7     name (sender 1, receiver 0, tag 7), handle 0
//   0 isend 1 7     name (0, 1, 7), handle 1
//   0 irecv 2 7     name (2, 0, 7), handle 2
//   0 waitall 2     takes handles 1 and 2, the newest two requests that no later wait names
//   0 wait 1 0 7    takes handle 0, by its name
//
// `waitAny 2` in the place of the waitall ends one of the handles 1 and 2, and nobody knows which. So a `waitall 1`
// behind it is for both: the one that was taken is passed over. Outstanding counts with the newest request of each
// waitAny (Entry::ended) how many of that one and the older ones may have ended.

#include "workloads/formats/ti/actions.hpp"

#include "core/pool.hpp"

namespace toroid::workloads::ti {
namespace {

bool posts(OpKind kind) {
  return kind == OpKind::isend || kind == OpKind::irecv;
}

bool has_wildcard(const RequestName& name) {
  return name.sender == any_source || name.tag == any_tag;
}

/// The names, besides its own, of receives that a wait without wildcards may be for.
std::array<RequestName, 3> with_wildcards(const RequestName& name) {
  return {{{any_source, name.receiver, name.tag},
           {name.sender, name.receiver, any_tag},
           {any_source, name.receiver, any_tag}}};
}

/// Whether a wait for `wanted` may be for a request that was posted with that name.
bool fits(const RequestName& posted, bool is_send, const RequestName& wanted) {
  const bool any_sender = !is_send && (posted.sender == any_source || wanted.sender == any_source);
  const bool any = posted.tag == any_tag || wanted.tag == any_tag;
  return (posted.sender == wanted.sender || any_sender) && posted.receiver == wanted.receiver &&
         (posted.tag == wanted.tag || any);
}

using EntryId = std::uint32_t;
constexpr EntryId none = ~EntryId{0};

/// A request that was posted and that no wait has taken.
struct Entry {
  RequestHandle handle;
  bool is_send;
  bool named;           ///< a later wait takes it under the name that it was posted with
  std::uint64_t order;  ///< its place in the order in which requests were posted
  /// How many waitanys had this as the newest of their requests: that many of it and the older ones may have ended.
  std::uint32_t ended = 0;
  struct Links {
    EntryId before = none, after = none;
  };
  Links in_order = {}, of_handle = {};
};

/// The requests of a rank that wait to be taken, as its program goes on. Adding, taking and finding take constant time
/// but for a wait with wildcards.
class Outstanding {
 public:
  explicit Outstanding(const RequestNames& names)
      : names_(names), of_handle_(names.size()), ended_early_(names.size()) {}

  void add(RequestHandle handle, bool is_send, bool named) {
    if (ended_ > 0 && !named) end_for_certain(handle);
    const auto id = entries_.add({handle, is_send, named, order_++});
    append<&Entry::in_order>(named ? named_ : others_, id);
    append<&Entry::of_handle>(of_handle_[handle], id);
    size_of_others_ += named ? 0 : 1;
  }

  /// Takes the oldest request of that name; if there is none, the oldest that fits when wildcards count, in the name or
  /// in how the request was posted. Returns the handle of the request.
  std::optional<RequestHandle> take(RequestHandle handle) {
    const auto id = find(handle);
    if (id == none) return std::nullopt;
    const auto found = entries_[id].handle;
    remove(id);
    return found;
  }

  /// Does what take() does among the requests that waitanys have ended for certain: each may be waited for once more.
  std::optional<RequestHandle> take_ended(RequestHandle handle) {
    const auto& name = names_[handle];
    const auto take = [&](RequestHandle posted) {
      for (const bool is_send : {false, true}) {
        auto& count = ended_early_[posted][is_send ? 1 : 0];
        if (count == 0 || !fits(names_[posted], is_send, name)) continue;
        --count;
        return true;
      }
      return false;
    };
    if (take(handle)) return handle;
    if (has_wildcard(name)) {
      for (RequestHandle posted = 0; posted < names_.size(); ++posted)
        if (take(posted)) return posted;
    } else {
      for (const auto& other : with_wildcards(name))
        if (const auto posted = names_.find(other); posted != no_handle && take(posted)) return posted;
    }
    return std::nullopt;
  }

  /// What take() would take, without taking it.
  std::optional<RequestHandle> look_for(RequestHandle handle) const {
    const auto id = find(handle);
    return id == none ? std::nullopt : std::optional(entries_[id].handle);
  }

  /// The handles, oldest first, of the fewest newest requests among which `count` must still be under way; of all if
  /// there are fewer. Requests that a later wait names are left out.
  std::vector<RequestHandle> newest(std::size_t count) const {
    std::vector<RequestHandle> handles;
    std::size_t ended = 0, certain = 0;
    for (auto id = others_.last; id != none && certain < count; id = entries_[id].in_order.before) {
      ended += entries_[id].ended;
      if (ended > 0)
        --ended;
      else
        ++certain;
      handles.push_back(entries_[id].handle);
    }
    std::reverse(handles.begin(), handles.end());
    return handles;
  }

  /// Takes what newest() returns.
  std::vector<RequestHandle> take_newest(std::size_t count) {
    auto handles = newest(count);
    for (std::size_t i = 0; i < handles.size(); ++i) {
      // What may have ended is among those that are taken.
      ended_ -= entries_[others_.last].ended;
      entries_[others_.last].ended = 0;
      remove(others_.last);
    }
    return handles;
  }

  /// Notes that one of what newest() returns will end, and returns these.
  std::vector<RequestHandle> end_one_of(std::size_t count) {
    auto handles = newest(count);
    if (handles.empty()) return handles;
    ++entries_[others_.last].ended;
    if (++ended_ == size_of_others_) {  // all have
      for (auto id = others_.first; id != none; id = entries_[id].in_order.after) note_ended(id);
      take_newest(size_of_others_);
    }
    return handles;
  }

 private:
  struct List {
    EntryId first = none, last = none;
  };

  template <Entry::Links Entry::*links>
  void append(List& list, EntryId id) {
    (entries_[id].*links) = {list.last, none};
    (list.last == none ? list.first : (entries_[list.last].*links).after) = id;
    list.last = id;
  }

  template <Entry::Links Entry::*links>
  void unlink(List& list, EntryId id) {
    const auto [before, after] = entries_[id].*links;
    (before == none ? list.first : (entries_[before].*links).after) = after;
    (after == none ? list.last : (entries_[after].*links).before) = before;
  }

  void remove(EntryId id) {
    const auto& entry = entries_[id];
    if (entry.ended > 0) {  // what is said of the older ones stays true of them
      if (const auto before = entry.in_order.before; before != none)
        entries_[before].ended += entry.ended;
      else
        ended_ -= entry.ended;
    }
    unlink<&Entry::in_order>(entry.named ? named_ : others_, id);
    unlink<&Entry::of_handle>(of_handle_[entry.handle], id);
    size_of_others_ -= entry.named ? 0 : 1;
    entries_.remove(id);
  }

  /// A name that is posted again, while a request of that name may have been the one that a waitany took: it was.
  void end_for_certain(RequestHandle handle) {
    EntryId said = none;
    for (auto id = others_.last; id != none; id = entries_[id].in_order.before) {
      if (entries_[id].ended > 0) said = id;
      if (said == none || entries_[id].handle != handle) continue;
      --entries_[said].ended;
      --ended_;
      note_ended(id);
      remove(id);
      return;
    }
  }

  EntryId older(EntryId a, EntryId b) const {
    if (a == none || b == none) return a == none ? b : a;
    return entries_[a].order <= entries_[b].order ? a : b;
  }

  EntryId first_of(const RequestName& name) const {
    const auto handle = names_.find(name);
    return handle == no_handle ? none : of_handle_[handle].first;
  }

  EntryId find(RequestHandle handle) const {
    const auto& name = names_[handle];
    if (const auto exact = of_handle_[handle].first; exact != none) return exact;
    if (!has_wildcard(name)) {
      EntryId oldest = none;
      for (const auto& posted : with_wildcards(name)) oldest = older(oldest, first_of(posted));
      return oldest;
    }
    const auto first = [&](const List& list) {
      auto id = list.first;
      while (id != none && !fits(names_[entries_[id].handle], entries_[id].is_send, name))
        id = entries_[id].in_order.after;
      return id;
    };
    return older(first(named_), first(others_));
  }

  void note_ended(EntryId id) { ++ended_early_[entries_[id].handle][entries_[id].is_send ? 1 : 0]; }

  const RequestNames& names_;
  core::Pool<Entry> entries_;
  std::vector<List> of_handle_;
  std::vector<std::array<std::uint32_t, 2>>
      ended_early_;  ///< receives and sends of each handle that waitanys have ended
  List named_, others_;
  std::size_t size_of_others_ = 0, ended_ = 0;
  std::uint64_t order_ = 0;
};

/// Says of each posting operation whether a later wait names it: each wait names the last one before it of exactly its
/// name that no other wait has.
std::vector<bool> find_named(const CompactTrace& trace, Rank rank, const std::vector<std::uint32_t>& numbers,
                             std::size_t names) {
  std::vector<bool> named(numbers.size());
  std::vector<std::uint64_t> open_waits(names);
  for (auto i = numbers.size(); i-- > 0;) {
    const auto& op = trace.operation(rank, numbers[i]);
    if (op.kind == OpKind::wait) ++open_waits[op.request];
    if (!posts(op.kind) || open_waits[op.request] == 0) continue;
    --open_waits[op.request];
    named[i] = true;
  }
  return named;
}

/// Whether all that the waits are for can be seen from their names alone.
bool is_plain(CompactTrace& trace, Rank rank, const RequestNames& names) {
  bool plain = true;
  std::vector<bool> posted(names.size()), asked(names.size());
  trace.for_each_distinct(rank, [&](const Operation& op, std::uint64_t) {
    if (op.kind == OpKind::waitall || op.kind == OpKind::waitany) plain = false;
    if (posts(op.kind)) posted[op.request] = true;
    if (op.kind == OpKind::wait || op.kind == OpKind::test) asked[op.request] = true;
  });
  for (RequestHandle handle = 0; handle < names.size(); ++handle)
    if ((asked[handle] && !posted[handle]) || has_wildcard(names[handle])) plain = false;
  return plain;
}

[[noreturn]] void fail_never_posted(const CompactTrace& trace, Rank rank, std::uint64_t line, const RequestName& name) {
  const auto rank_text = [](CommRank r) {
    return r == any_source ? "any rank" : r == no_process ? "no process" : fmt::format("rank {}", r);
  };
  core::fail_input_at(trace.file_of(rank), line,
                      "rank {} waits for a message from {} to {} with {}, but has no such request", rank,
                      rank_text(name.sender), rank_text(name.receiver),
                      name.tag == any_tag ? "any tag" : fmt::format("tag {}", name.tag));
}

}  // namespace

RequestName request_name(const Operation& op, Rank rank) {
  return op.kind == OpKind::isend ? RequestName{rank.value(), op.to, op.tag}
                                  : RequestName{op.from, rank.value(), op.tag};
}

RequestHandle RequestNames::handle(const RequestName& name) {
  const auto [handle, is_new] = handles_.try_emplace(name, static_cast<RequestHandle>(names_.size()));
  if (is_new) names_.push_back(name);
  return *handle;
}

RequestHandle RequestNames::find(const RequestName& name) const {
  const auto* handle = handles_.find(name);
  return handle == nullptr ? no_handle : *handle;
}

void resolve_requests(CompactTrace& trace, Rank rank, const RequestNames& names) {
  if (is_plain(trace, rank, names)) return;
  auto numbers = trace.numbers(rank);
  const auto named = find_named(trace, rank, numbers, names.size());
  std::vector<bool> posted(names.size());
  Outstanding outstanding(names);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto op = trace.operation(rank, numbers[i]);
    const auto replace = [&] { numbers[i] = trace.number_of(rank, op, trace.first_line(rank, numbers[i])); };
    switch (op.kind) {
      case OpKind::isend:
      case OpKind::irecv:
        posted[op.request] = true;
        outstanding.add(op.request, op.kind == OpKind::isend, named[i]);
        break;
      case OpKind::wait: {
        auto found = outstanding.take(op.request);
        if (!found) found = outstanding.take_ended(op.request);
        if (!found && !posted[op.request])
          fail_never_posted(trace, rank, trace.first_line(rank, numbers[i]), names[op.request]);
        if (found && std::exchange(op.request, *found) != *found) replace();
        break;
      }
      case OpKind::test:
        if (const auto found = outstanding.look_for(op.request); found && std::exchange(op.request, *found) != *found)
          replace();
        break;
      case OpKind::waitall:
      case OpKind::waitany: {
        const auto handles =
            op.kind == OpKind::waitall ? outstanding.take_newest(op.bytes) : outstanding.end_one_of(op.bytes);
        op.requests = handles;
        op.bytes = 0;
        replace();
        break;
      }
      default:
        break;
    }
  }
  trace.set_numbers(rank, numbers);
}

}  // namespace toroid::workloads::ti
