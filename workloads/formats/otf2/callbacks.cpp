#include "workloads/formats/otf2/callbacks.hpp"

#include <algorithm>
#include <array>

namespace toroid::workloads::otf2 {
namespace {

constexpr std::array<std::string_view, 10> refused_names{
    "RmaGet",     "RmaAtomic",      "RmaGroupSync", "RmaRequestLock", "RmaAcquireLock",
    "RmaTryLock", "RmaReleaseLock", "RmaSync",      "RmaWaitChange",  "RmaOpTest"};
/// The number of the event that has this name.
consteval std::uint32_t refused(std::string_view name) {
  const auto found = std::ranges::find(refused_names, name);
  return found == refused_names.end() ? throw "no such event"
                                      : static_cast<std::uint32_t>(found - refused_names.begin());
}

using Kind = Event::Kind;

KeptEvents& kept(void* data) {
  return *static_cast<KeptEvents*>(data);
}

/// A callback that keeps the event which `describe` makes of what OTF2 says of it.
template <auto describe, class... Said>
OTF2_CallbackCode keep(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
                       Said... said) {
  Event event = describe(said...);
  event.time = time;
  event.number = at;
  kept(data).events.push_back(event);
  return OTF2_CALLBACK_SUCCESS;
}
/// A callback that keeps an event on a window of MPI: accelerators have windows, too.
template <auto describe, class... Said>
OTF2_CallbackCode keep_of_window(OTF2_LocationRef location, OTF2_TimeStamp time, std::uint64_t at, void* data,
                                 OTF2_AttributeList* list, Said... said) {
  if (!kept(data).windows.contains(describe(said...).what)) return OTF2_CALLBACK_SUCCESS;
  return keep<describe>(location, time, at, data, list, said...);
}
/// A callback that keeps the entry of a region, or the end of one, if the region is a call of MPI.
template <Kind kind>
OTF2_CallbackCode keep_region(OTF2_LocationRef location, OTF2_TimeStamp time, std::uint64_t at, void* data,
                              OTF2_AttributeList* list, OTF2_RegionRef region) {
  if (!kept(data).calls.contains(region)) return OTF2_CALLBACK_SUCCESS;
  return keep<[](Ref what) { return Event{.kind = kind, .what = what}; }>(location, time, at, data, list, region);
}
/// A callback that does what keep_region() does for the region of a calling context.
template <Kind kind, class... Rest>
OTF2_CallbackCode keep_context(OTF2_LocationRef location, OTF2_TimeStamp time, std::uint64_t at, void* data,
                               OTF2_AttributeList* list, OTF2_CallingContextRef context, Rest...) {
  const auto& contexts = kept(data).contexts;
  const auto known = contexts.find(context);
  if (known == contexts.end()) return OTF2_CALLBACK_SUCCESS;
  return keep_region<kind>(location, time, at, data, list, known->second);
}

template <Kind kind>
constexpr auto of_request = [](std::uint64_t request) { return Event{.kind = kind, .request = request}; };
/// A message, and its request if it has one.
template <Kind kind>
constexpr auto of_message =
    [](std::uint32_t partner, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes, std::uint64_t request = 0) {
      return Event{.kind = kind, .partner = partner, .what = comm, .tag = tag, .bytes = bytes, .request = request};
    };
template <Kind kind>
constexpr auto of_collective = [](OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                  std::uint64_t received, std::uint64_t request = 0) {
  return Event{
      .kind = kind, .op = op, .partner = root, .what = comm, .bytes = sent, .received = received, .request = request};
};
constexpr auto of_flush = [](OTF2_TimeStamp stop) { return Event{.kind = Kind::flush, .bytes = stop}; };
Event of_switch(OTF2_MeasurementMode mode) {
  return {.kind = Kind::switched, .bytes = mode == OTF2_MEASUREMENT_ON ? 1U : 0U};
}
Event of_put(OTF2_RmaWinRef window, std::uint32_t to, std::uint64_t bytes, std::uint64_t /*matching*/) {
  return {.kind = Kind::put, .partner = to, .what = window, .bytes = bytes};
}
Event of_window_op(OTF2_CollectiveOp op, OTF2_RmaSyncLevel, OTF2_RmaWinRef window, std::uint32_t, std::uint64_t,
                   std::uint64_t) {
  return {.kind = Kind::window_op, .op = op, .what = window};
}
Event of_group_sync(OTF2_RmaSyncLevel, OTF2_RmaWinRef window, OTF2_GroupRef) {
  return {.kind = Kind::refused, .what = window, .tag = refused("RmaGroupSync")};
}
template <std::uint32_t which, class... Rest>
OTF2_CallbackCode refuse(OTF2_LocationRef location, OTF2_TimeStamp time, std::uint64_t at, void* data,
                         OTF2_AttributeList* list, OTF2_RmaWinRef window, Rest...) {
  constexpr auto describe = [](Ref what) { return Event{.kind = Kind::refused, .what = what, .tag = which}; };
  return keep_of_window<describe>(location, time, at, data, list, window);
}

}  // namespace

OTF2_EvtReaderCallbacks* event_callbacks() {
  auto* all = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(all, keep_region<Kind::enter>);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(all, keep_region<Kind::leave>);
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(all, keep_context<Kind::enter>);
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(all, keep_context<Kind::leave>);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(all, keep<of_flush>);
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(all, keep<of_switch>);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(all, keep<of_message<Kind::send>>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(all, keep<of_message<Kind::isend>>);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(all, keep<of_message<Kind::recv>>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(all, keep<of_message<Kind::irecv_end>>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(all, keep<of_request<Kind::irecv>>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(all, keep<of_request<Kind::isend_end>>);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(all, keep<of_request<Kind::cancelled>>);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(all, keep<of_collective<Kind::collective>>);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(all, keep<of_request<Kind::icollective>>);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(all, keep<of_collective<Kind::icollective_end>>);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(all, keep_of_window<of_put>);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(all, keep_of_window<of_window_op>);
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(all, keep_of_window<of_group_sync>);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(all, refuse<refused("RmaGet")>);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(all, refuse<refused("RmaAtomic")>);
  OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(all, refuse<refused("RmaRequestLock")>);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(all, refuse<refused("RmaAcquireLock")>);
  OTF2_EvtReaderCallbacks_SetRmaTryLockCallback(all, refuse<refused("RmaTryLock")>);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(all, refuse<refused("RmaReleaseLock")>);
  OTF2_EvtReaderCallbacks_SetRmaSyncCallback(all, refuse<refused("RmaSync")>);
  OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(all, refuse<refused("RmaWaitChange")>);
  OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(all, refuse<refused("RmaOpTest")>);
  return all;
}

std::string_view refused_event(std::uint32_t which) {
  return refused_names.at(which);
}

}  // namespace toroid::workloads::otf2
