#include "workloads/formats/otf2/callbacks.hpp"

#include <array>

namespace toroid::workloads::otf2 {
namespace {

constexpr std::array<std::string_view, 10> refused_names{
    "RmaGet",     "RmaAtomic",      "RmaGroupSync", "RmaRequestLock", "RmaAcquireLock",
    "RmaTryLock", "RmaReleaseLock", "RmaSync",      "RmaWaitChange",  "RmaOpTest"};
enum Refused : std::uint32_t {
  get,
  atomic,
  group_sync,
  request_lock,
  acquire_lock,
  try_lock,
  release_lock,
  sync,
  wait_change,
  op_test
};

using Kind = Event::Kind;

KeptEvents& kept(void* data) {
  return *static_cast<KeptEvents*>(data);
}

OTF2_CallbackCode add(void* data, const Event& event) {
  kept(data).events.push_back(event);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode add_region(void* data, Kind kind, OTF2_TimeStamp time, std::uint64_t at, Ref region) {
  if (!kept(data).calls.contains(region)) return OTF2_CALLBACK_SUCCESS;
  return add(data, {.kind = kind, .what = region, .time = time, .number = at});
}
OTF2_CallbackCode add_context(void* data, Kind kind, OTF2_TimeStamp time, std::uint64_t at, Ref context) {
  const auto& contexts = kept(data).contexts;
  const auto known = contexts.find(context);
  return known == contexts.end() ? OTF2_CALLBACK_SUCCESS : add_region(data, kind, time, at, known->second);
}
/// Accelerators have windows, too.
OTF2_CallbackCode add_of_window(void* data, const Event& event) {
  return kept(data).windows.contains(event.what) ? add(data, event) : OTF2_CALLBACK_SUCCESS;
}
template <Refused which, class... Rest>
OTF2_CallbackCode refuse(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
                         OTF2_RmaWinRef window, Rest...) {
  return add_of_window(data, {.kind = Kind::refused, .what = window, .tag = which, .time = time, .number = at});
}

template <Kind kind>
OTF2_CallbackCode of_request(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
                             std::uint64_t request) {
  return add(data, {.kind = kind, .time = time, .number = at, .request = request});
}

void set_region_callbacks(OTF2_EvtReaderCallbacks* all) {
  OTF2_EvtReaderCallbacks_SetEnterCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              OTF2_RegionRef region) { return add_region(data, Kind::enter, time, at, region); });
  OTF2_EvtReaderCallbacks_SetLeaveCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              OTF2_RegionRef region) { return add_region(data, Kind::leave, time, at, region); });
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(
      all,
      [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
         OTF2_CallingContextRef context, std::uint32_t) { return add_context(data, Kind::enter, time, at, context); });
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              OTF2_CallingContextRef context) { return add_context(data, Kind::leave, time, at, context); });
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at,
                                                         void* data, OTF2_AttributeList*, OTF2_TimeStamp stop) {
    return add(data, {.kind = Kind::flush, .time = time, .number = at, .bytes = stop});
  });
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              OTF2_MeasurementMode mode) {
        const std::uint64_t is_on = mode == OTF2_MEASUREMENT_ON ? 1 : 0;
        return add(data, {.kind = Kind::switched, .time = time, .number = at, .bytes = is_on});
      });
}

void set_message_callbacks(OTF2_EvtReaderCallbacks* all) {
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
        return add(data, {Kind::send, 0, to, comm, tag, time, at, bytes});
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
        return add(data, {Kind::isend, 0, to, comm, tag, time, at, bytes, 0, request});
      });
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
        return add(data, {Kind::recv, 0, from, comm, tag, time, at, bytes});
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
        return add(data, {Kind::irecv_end, 0, from, comm, tag, time, at, bytes, 0, request});
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(all, of_request<Kind::irecv>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(all, of_request<Kind::isend_end>);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(all, of_request<Kind::cancelled>);
}
void set_collective_callbacks(OTF2_EvtReaderCallbacks* all) {
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
        return add(data, {Kind::collective, op, root, comm, 0, time, at, sent, received});
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(all, of_request<Kind::icollective>);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      all,
      [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*, OTF2_CollectiveOp op,
         OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received, std::uint64_t request) {
        return add(data, {Kind::icollective_end, op, root, comm, 0, time, at, sent, received, request});
      });
}

void set_window_callbacks(OTF2_EvtReaderCallbacks* all) {
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*,
              OTF2_RmaWinRef window, std::uint32_t to, std::uint64_t bytes, std::uint64_t) {
        return add_of_window(data, {Kind::put, 0, to, window, 0, time, at, bytes});
      });
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(
      all,
      [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList*, OTF2_CollectiveOp op,
         OTF2_RmaSyncLevel, OTF2_RmaWinRef window, std::uint32_t, std::uint64_t, std::uint64_t) {
        return add_of_window(data, {.kind = Kind::window_op, .op = op, .what = window, .time = time, .number = at});
      });
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(all, refuse<get>);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(all, refuse<atomic>);
  OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(all, refuse<request_lock>);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(all, refuse<acquire_lock>);
  OTF2_EvtReaderCallbacks_SetRmaTryLockCallback(all, refuse<try_lock>);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(all, refuse<release_lock>);
  OTF2_EvtReaderCallbacks_SetRmaSyncCallback(all, refuse<sync>);
  OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(all, refuse<wait_change>);
  OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(all, refuse<op_test>);
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(
      all, [](OTF2_LocationRef location, OTF2_TimeStamp time, std::uint64_t at, void* data, OTF2_AttributeList* list,
              OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
              OTF2_GroupRef) { return refuse<group_sync>(location, time, at, data, list, window, level); });
}

}  // namespace

OTF2_EvtReaderCallbacks* event_callbacks() {
  auto* all = OTF2_EvtReaderCallbacks_New();
  set_region_callbacks(all);
  set_message_callbacks(all);
  set_collective_callbacks(all);
  set_window_callbacks(all);
  return all;
}

std::string_view refused_event(std::uint32_t which) {
  return refused_names.at(which);
}

}  // namespace toroid::workloads::otf2
