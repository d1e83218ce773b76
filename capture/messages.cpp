// Point-to-point messages.

#include "capture/ways.hpp"

namespace toroid::capture {
namespace {

using workloads::OpKind;
using workloads::SendMode;

void message(OpKind kind, SendMode mode, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm,
             const MPI_Request* request) {
  Entry entry(Record::message);
  entry.put(kind, mode, number_of(comm));
  entry.put_signed(partner_of(partner));
  entry.put_signed(tag_of(tag));
  entry.put(bytes_of(count, type), number_of(request));
}

/// A send that does not block is the same with a request.
template <OpKind kind, SendMode mode>
void send(const void*, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, const MPI_Request* request) {
  message(request != nullptr && kind == OpKind::send ? OpKind::isend : kind, mode, count, type, to, tag, comm, request);
}

template <OpKind kind>
void receive(const void*, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, const MPI_Request* request) {
  message(kind, SendMode::standard, count, type, from, tag, comm, request);
}

/// The sender is known when the message has come.
int recv(Call& call, decltype(&MPI_Recv) real, void* buffer, int count, MPI_Datatype type, int from, int tag,
         MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  status = asked_or(status, own);
  const MPI_Request request = stand_in(call);
  if (recorder.several_threads()) receive<OpKind::irecv>(buffer, count, type, from, tag, comm, &request);
  const int result = real(buffer, count, type, from, tag, comm, status);
  if (!call.succeeded(result)) return result;
  if (recorder.several_threads())
    complete(number_of(request), status);
  else
    receive<OpKind::recv>(buffer, count, type, status->MPI_SOURCE, from == MPI_PROC_NULL ? tag : status->MPI_TAG, comm,
                          nullptr);
  return result;
}

struct Half {
  std::uint64_t bytes;
  int partner, tag;
};

/// Among several threads, a receive and a send that do not block, and both their ends.
template <class Exchange>
int exchange(Call& call, Half sent, Half received, MPI_Comm comm, MPI_Status* status, Exchange real) {
  MPI_Status own;
  status = asked_or(status, own);
  const MPI_Request requests[] = {stand_in(call), reinterpret_cast<MPI_Request>(&own)};
  const auto post = [&](OpKind kind, const Half& half, MPI_Request request) {
    Entry entry(Record::message);
    entry.put(kind, SendMode::standard, number_of(comm));
    entry.put_signed(partner_of(half.partner));
    entry.put_signed(tag_of(half.tag));
    entry.put(half.bytes, number_of(request));
  };
  if (recorder.several_threads()) {
    post(OpKind::irecv, received, requests[0]);
    post(OpKind::isend, sent, requests[1]);
  }
  const int result = real(status);
  if (!call.succeeded(result)) return result;
  if (recorder.several_threads()) {
    complete(number_of(requests[0]), status);
    complete(number_of(requests[1]));
    return result;
  }
  Entry entry(Record::exchange);
  entry.put(number_of(comm));
  entry.put_signed(partner_of(sent.partner));
  entry.put_signed(sent.tag);
  entry.put(sent.bytes);
  entry.put_signed(partner_of(status->MPI_SOURCE));
  entry.put_signed(received.partner == MPI_PROC_NULL ? tag_of(received.tag) : status->MPI_TAG);
  entry.put(received.bytes);
  return result;
}

int sendrecv(Call& call, decltype(&MPI_Sendrecv) real, const void* out, int out_count, MPI_Datatype out_type, int to,
             int out_tag, void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
             MPI_Status* status) {
  return exchange(call, {bytes_of(out_count, out_type), to, out_tag}, {bytes_of(in_count, in_type), from, in_tag}, comm,
                  status, [&](MPI_Status* used) {
                    return real(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, used);
                  });
}

int sendrecv_replace(Call& call, decltype(&MPI_Sendrecv_replace) real, void* buffer, int count, MPI_Datatype type,
                     int to, int out_tag, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  const auto bytes = bytes_of(count, type);
  return exchange(call, {bytes, to, out_tag}, {bytes, from, in_tag}, comm, status,
                  [&](MPI_Status* used) { return real(buffer, count, type, to, out_tag, from, in_tag, comm, used); });
}

// A message that was probed so that nobody else receives it is received from then on: other receives do not get it.

void probed(MPI_Message message, MPI_Comm comm, const MPI_Status& status) {
  if (message == MPI_MESSAGE_NO_PROC) return;
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  const auto request = reinterpret_cast<MPI_Request>(message);
  receive<OpKind::irecv>(nullptr, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm, &request);
}

int mprobe(Call& call, decltype(&MPI_Mprobe) real, int from, int tag, MPI_Comm comm, MPI_Message* message,
           MPI_Status* status) {
  MPI_Status own;
  status = asked_or(status, own);
  const int result = real(from, tag, comm, message, status);
  if (call.succeeded(result)) probed(*message, comm, *status);
  return result;
}

int improbe(Call& call, decltype(&MPI_Improbe) real, int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
            MPI_Status* status) {
  MPI_Status own;
  status = asked_or(status, own);
  const int result = real(from, tag, comm, flag, message, status);
  if (call.succeeded(result) && *flag != 0) probed(*message, comm, *status);
  return result;
}

int mrecv(Call& call, decltype(&MPI_Mrecv) real, void* buffer, int count, MPI_Datatype type, MPI_Message* message,
          MPI_Status* status) {
  const MPI_Message before = *message;
  const int result = real(buffer, count, type, message, status);
  if (call.succeeded(result) && before != MPI_MESSAGE_NO_PROC) complete(number_of(before));
  return result;
}

int imrecv(Call& call, decltype(&MPI_Imrecv) real, void* buffer, int count, MPI_Datatype type, MPI_Message* message,
           MPI_Request* request) {
  const MPI_Message before = *message;
  const int result = real(buffer, count, type, message, request);
  if (!call.succeeded(result)) return result;
  make_unique(*request);
  if (before == MPI_MESSAGE_NO_PROC)
    receive<OpKind::irecv>(buffer, count, type, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
  else
    rename(number_of(before), number_of(*request));
  return result;
}

/// Calls that are no operation, but whose time is no computation.
constexpr auto nothing = [](auto...) {};

CAPTURE(MPI_Send, blocking<send<OpKind::send, SendMode::standard>>)
CAPTURE(MPI_Rsend, blocking<send<OpKind::send, SendMode::standard>>)
CAPTURE(MPI_Ssend, blocking<send<OpKind::send, SendMode::synchronous>>)
CAPTURE(MPI_Bsend, blocking<send<OpKind::send, SendMode::buffered>>)
CAPTURE(MPI_Isend, nonblocking<send<OpKind::isend, SendMode::standard>>)
CAPTURE(MPI_Irsend, nonblocking<send<OpKind::isend, SendMode::standard>>)
CAPTURE(MPI_Issend, nonblocking<send<OpKind::isend, SendMode::synchronous>>)
CAPTURE(MPI_Ibsend, nonblocking<send<OpKind::isend, SendMode::buffered>>)
CAPTURE(MPI_Send_init, nonblocking<send<OpKind::send_init, SendMode::standard>>)
CAPTURE(MPI_Rsend_init, nonblocking<send<OpKind::send_init, SendMode::standard>>)
CAPTURE(MPI_Ssend_init, nonblocking<send<OpKind::send_init, SendMode::synchronous>>)
CAPTURE(MPI_Bsend_init, nonblocking<send<OpKind::send_init, SendMode::buffered>>)
CAPTURE(MPI_Recv, recv)
CAPTURE(MPI_Irecv, nonblocking<receive<OpKind::irecv>>)
CAPTURE(MPI_Recv_init, nonblocking<receive<OpKind::recv_init>>)
CAPTURE(MPI_Sendrecv, sendrecv)
CAPTURE(MPI_Sendrecv_replace, sendrecv_replace)
CAPTURE(MPI_Probe, plain<nothing>)
CAPTURE(MPI_Iprobe, plain<nothing>)
CAPTURE(MPI_Buffer_detach, plain<nothing>)
CAPTURE(MPI_Mprobe, mprobe)
CAPTURE(MPI_Improbe, improbe)
CAPTURE(MPI_Mrecv, mrecv)
CAPTURE(MPI_Imrecv, imrecv)

}  // namespace
}  // namespace toroid::capture
