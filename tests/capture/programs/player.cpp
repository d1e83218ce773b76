#include "tests/capture/programs/player.hpp"

#include <algorithm>
#include <set>

#include "workloads/operation_kinds.hpp"

namespace toroid::test {

using workloads::Operation;
using workloads::OpKind;
using workloads::RequestHandle;
using workloads::SendMode;

namespace {

constexpr std::size_t buffer_size = 1U << 22U;

int partner(workloads::CommRank rank) {
  if (rank == workloads::any_source) return MPI_ANY_SOURCE;
  return rank == workloads::no_process ? MPI_PROC_NULL : rank;
}
int tag_of(const Operation& op) {
  return op.tag == workloads::any_tag ? MPI_ANY_TAG : op.tag;
}

/// So many bytes as elements of a type: of bytes, or, if it can be, of pairs with a gap between them.
struct Elements {
  explicit Elements(std::uint64_t bytes) : type(MPI_BYTE), count(static_cast<int>(bytes)) {
    static MPI_Datatype pair = MPI_DATATYPE_NULL;
    if (pair == MPI_DATATYPE_NULL) {
      MPI_Type_vector(2, 1, 2, MPI_BYTE, &pair);
      MPI_Type_commit(&pair);
    }
    if (bytes % 4 != 2) return;
    type = pair;
    count /= 2;
  }
  MPI_Datatype type;
  int count;
};

}  // namespace

Player::Player(const workloads::Trace& trace, workloads::Rank rank)
    : trace_(trace), rank_(rank), sent_(buffer_size), received_(buffer_size) {
  static std::vector<char> buffered(buffer_size);
  MPI_Buffer_attach(buffered.data(), static_cast<int>(buffered.size()));
  make_communicators();
}

void Player::make_communicators() {
  std::set<workloads::CommId> used;
  Operation op;
  for (const auto rank : core::ids<workloads::Rank>(trace_.ranks()))
    for (const auto stream = trace_.open(rank); stream->next(op);) used.insert(op.comm);
  comms_[workloads::world] = MPI_COMM_WORLD;
  int way = 0;
  for (const auto comm : used)
    if (comm != workloads::world) comms_[comm] = make(trace_.communicator(comm), way++ % 3);
}

MPI_Comm Player::make(const workloads::Communicator& members, int way) {
  MPI_Comm made = MPI_COMM_NULL, twin = MPI_COMM_NULL;
  const auto me = members.rank_of(rank_);
  if (way == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, me < 0 ? MPI_UNDEFINED : 7, me, &made);
    return made;
  }
  std::vector<int> ranks;
  for (workloads::CommRank member = 0; member < members.size(); ++member)
    ranks.push_back(members.member(member).value());
  MPI_Group all, group;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, members.size(), ranks.data(), &group);
  if (way == 1) MPI_Comm_create(MPI_COMM_WORLD, group, &made);
  if (way == 2 && me >= 0) MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &made);
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  if (me < 0) return made;
  MPI_Comm_dup(made, &twin);
  MPI_Comm_free(&made);
  return twin;
}

std::unique_ptr<workloads::CompactTrace> Player::play() {
  Operation op;
  for (const auto stream = trace_.open(rank_); stream->next(op);) do_operation(op);
  auto trace = std::make_unique<workloads::CompactTrace>(trace_.ranks());
  std::map<workloads::CommId, workloads::CommId> comms{{workloads::world, workloads::world}};
  for (auto& [operation, requests, send_counts, recv_counts] : done_) {
    const auto [known, is_new] = comms.emplace(operation.comm, workloads::world);
    if (is_new) known->second = trace->add_communicator(trace_.communicator(operation.comm));
    operation.comm = known->second;
    operation.requests = requests;
    operation.send_counts = send_counts;
    operation.recv_counts = recv_counts;
    trace->add(rank_, operation);
  }
  trace->finish();
  return trace;
}

std::size_t Player::add(const Operation& op) {
  done_.push_back({op,
                   {op.requests.begin(), op.requests.end()},
                   {op.send_counts.begin(), op.send_counts.end()},
                   {op.recv_counts.begin(), op.recv_counts.end()}});
  return done_.size() - 1;
}

void Player::matched(std::size_t receive, const MPI_Status& status) {
  auto& op = done_[receive].operation;
  if (op.from == workloads::any_source) op.from = status.MPI_SOURCE;
  if (op.tag == workloads::any_tag && op.from != workloads::no_process) op.tag = status.MPI_TAG;
}

void Player::do_operation(const Operation& op) {
  if (op.kind == OpKind::compute || op.kind == OpKind::sleep) return;
  if (workloads::is_collective(op.kind)) return collective(op);
  if (op.kind == OpKind::sendrecv) return exchange(op);
  if (workloads::is_receive(op.kind)) return receive(op);
  if (workloads::is_point_to_point(op.kind)) return send(op);
  if (op.kind == OpKind::start || op.kind == OpKind::startall) return start(op);
  if (op.kind == OpKind::wait || op.kind == OpKind::waitall) return wait(op);
  wait_for_some(op);
}

void Player::send(const Operation& op) {
  add(op);
  const Elements data(op.bytes);
  const auto call = [&](auto standard, auto synchronous, auto buffered, auto... request) {
    const auto chosen = op.mode == SendMode::standard      ? standard
                        : op.mode == SendMode::synchronous ? synchronous
                                                           : buffered;
    chosen(sent_.data(), data.count, data.type, partner(op.to), tag_of(op), comms_.at(op.comm), request...);
  };
  if (op.kind == OpKind::send) return call(MPI_Send, MPI_Ssend, MPI_Bsend);
  auto& request = requests_[op.request];
  request = {};
  request.is_persistent = op.kind == OpKind::send_init;
  request.is_active = !request.is_persistent;
  if (request.is_persistent)
    call(MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, &request.request);
  else
    call(MPI_Isend, MPI_Issend, MPI_Ibsend, &request.request);
}

void Player::receive(const Operation& op) {
  const bool is_open = op.from == workloads::any_source || op.tag == workloads::any_tag;
  const bool is_open_init = is_open && op.kind == OpKind::recv_init;
  const auto number = is_open_init ? 0 : add(op);
  const Elements data(op.bytes);
  if (op.kind == OpKind::recv) {
    MPI_Status status;
    const bool asks = number % 2 == 0 || is_open;  // others do not care for the status
    MPI_Recv(received_.data(), data.count, data.type, partner(op.from), tag_of(op), comms_.at(op.comm),
             asks ? &status : MPI_STATUS_IGNORE);
    if (asks) matched(number, status);
    return;
  }
  auto& request = requests_[op.request];
  request = {};
  request.is_persistent = op.kind == OpKind::recv_init;
  request.is_active = !request.is_persistent;
  if (is_open_init)
    request.open = op;
  else
    request.receive = number + 1;
  (request.is_persistent ? MPI_Recv_init : MPI_Irecv)(received_.data(), data.count, data.type, partner(op.from),
                                                      tag_of(op), comms_.at(op.comm), &request.request);
}

void Player::exchange(const Operation& op) {
  const auto number = add(op);
  const Elements data(op.bytes);
  MPI_Status status;
  if (number % 2 == 0)
    MPI_Sendrecv(sent_.data(), data.count, data.type, partner(op.to), tag_of(op), received_.data(), buffer_size / 8,
                 MPI_BYTE, partner(op.from), tag_of(op), comms_.at(op.comm), &status);
  else
    MPI_Sendrecv_replace(sent_.data(), data.count, data.type, partner(op.to), tag_of(op), partner(op.from), tag_of(op),
                         comms_.at(op.comm), &status);
  matched(number, status);
}

void Player::started(RequestHandle handle) {
  auto& request = requests_.at(handle);
  request.is_active = true;
  if (!request.open) return;
  auto op = *request.open;
  op.kind = OpKind::irecv;
  request.receive = add(op) + 1;
}

void Player::start(const Operation& op) {
  std::vector<RequestHandle> handles(op.requests.begin(), op.requests.end());
  if (op.kind == OpKind::start) handles = {op.request};
  std::vector<MPI_Request> requests;
  for (const auto handle : handles) requests.push_back(requests_.at(handle).request);
  if (op.kind == OpKind::startall || !requests_.at(op.request).open) add(op);
  for (const auto handle : handles) started(handle);
  if (op.kind == OpKind::start)
    MPI_Start(requests.data());
  else
    MPI_Startall(static_cast<int>(requests.size()), requests.data());
}

void Player::took(const Operation& op, const std::vector<RequestHandle>& handles,
                  const std::vector<MPI_Status>& statuses) {
  std::vector<RequestHandle> ended;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    auto& request = requests_.at(handles[i]);
    if (!request.is_active) continue;
    if (request.receive > 0) matched(request.receive - 1, statuses[i]);
    request.is_active = false;
    ended.push_back(handles[i]);
  }
  const bool is_one = op.kind == OpKind::wait || op.kind == OpKind::waitany || op.kind == OpKind::test;
  if (ended.empty()) return;
  if (is_one)
    add({.kind = OpKind::wait, .request = ended[0]});
  else
    add({.kind = OpKind::waitall, .requests = ended});
}

void Player::wait(const Operation& op) {
  std::vector<RequestHandle> handles(op.requests.begin(), op.requests.end());
  if (op.kind == OpKind::wait) handles = {op.request};
  std::erase_if(handles, [&](auto handle) { return requests_.at(handle).request == MPI_REQUEST_NULL; });
  std::vector<MPI_Request> requests;
  for (const auto handle : handles) requests.push_back(requests_.at(handle).request);
  std::vector<MPI_Status> statuses(handles.size());
  if (op.kind == OpKind::wait && !handles.empty()) MPI_Wait(requests.data(), statuses.data());
  if (op.kind == OpKind::waitall) MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  took(op, handles, statuses);
  for (std::size_t i = 0; i < handles.size(); ++i) requests_.at(handles[i]).request = requests[i];
}

/// Those that have been taken are null by then, and taken no more.
void Player::wait_for_some(const Operation& op) {
  std::vector<RequestHandle> handles(op.requests.begin(), op.requests.end()), ended;
  if (op.kind == OpKind::test) handles = {op.request};
  std::vector<MPI_Request> requests;
  for (const auto handle : handles) requests.push_back(requests_.at(handle).request);
  std::vector<MPI_Status> statuses(handles.size());
  std::vector<int> indices(handles.size());
  int count = 1, flag = 1;
  const int size = static_cast<int>(handles.size());
  if (op.kind == OpKind::waitany) MPI_Waitany(size, requests.data(), indices.data(), statuses.data());
  if (op.kind == OpKind::waitsome) MPI_Waitsome(size, requests.data(), &count, indices.data(), statuses.data());
  if (op.kind == OpKind::test) {
    if (requests[0] == MPI_REQUEST_NULL) return;
    MPI_Test(requests.data(), &flag, statuses.data());
    indices[0] = 0;
  }
  if (flag == 0 || count == MPI_UNDEFINED || indices[0] == MPI_UNDEFINED) return;
  for (int i = 0; i < count; ++i)
    ended.push_back(handles[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])]);
  took(op, ended, statuses);
  for (std::size_t i = 0; i < handles.size(); ++i) requests_.at(handles[i]).request = requests[i];
}

}  // namespace toroid::test
