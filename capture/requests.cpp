// Persistent requests, waits and tests. Recorded is what has ended, as it did.

#include "capture/ways.hpp"

namespace toroid::capture {
namespace {

/// What a call was given: it takes away the requests that have ended. And statuses, whether the program asks for them
/// or not.
struct Given {
  Given(int count, const MPI_Request* all, MPI_Status* asked)
      : requests(all, all + count), own(asked == MPI_STATUSES_IGNORE ? requests.size() : 0) {
    statuses = own.empty() ? asked : own.data();
  }

  std::vector<MPI_Request> requests;
  std::vector<MPI_Status> own;
  MPI_Status* statuses;
};

void put_ended(Entry& entry, MPI_Request request, const MPI_Status& status) {
  entry.put(number_of(request));
  entry.put_signed(partner_of(status.MPI_SOURCE));
  entry.put_signed(tag_of(status.MPI_TAG));
}

void all_ended(const Given& given) {
  Entry entry(Record::completion);
  entry.put(false, given.requests.size());
  for (std::size_t i = 0; i < given.requests.size(); ++i) put_ended(entry, given.requests[i], given.statuses[i]);
}

/// MPI_UNDEFINED: there was none.
void one_ended(const MPI_Request* before, int index, const MPI_Status& status) {
  if (index != MPI_UNDEFINED) complete(number_of(before[index]), &status);
}

void some_ended(const Given& given, int count, const int* indices) {
  if (count == MPI_UNDEFINED || count == 0) return;
  Entry entry(Record::completion);
  entry.put(false, count);
  for (int i = 0; i < count; ++i)
    put_ended(entry, given.requests[static_cast<std::size_t>(indices[i])], given.statuses[i]);
}

/// Open MPI starts another request in place of one whose last message, which was buffered, is still on its way.
void rename_changed(const MPI_Request* before, const MPI_Request* after, int count) {
  for (int i = 0; i < count; ++i)
    if (after[i] != before[i]) rename(number_of(before[i]), number_of(after[i]));
}

int wait(Call& call, decltype(&MPI_Wait) real, MPI_Request* request, MPI_Status* status) {
  MPI_Status own;
  status = asked_or(status, own);
  const MPI_Request before = *request;
  const int result = real(request, status);
  if (call.succeeded(result)) one_ended(&before, 0, *status);
  return result;
}

int test(Call& call, decltype(&MPI_Test) real, MPI_Request* request, int* flag, MPI_Status* status) {
  MPI_Status own;
  status = asked_or(status, own);
  const MPI_Request before = *request;
  const int result = real(request, flag, status);
  if (call.succeeded(result) && *flag != 0) one_ended(&before, 0, *status);
  return result;
}

int waitall(Call& call, decltype(&MPI_Waitall) real, int count, MPI_Request* requests, MPI_Status* statuses) {
  const Given given(count, requests, statuses);
  const int result = real(count, requests, given.statuses);
  if (call.succeeded(result)) all_ended(given);
  return result;
}

int testall(Call& call, decltype(&MPI_Testall) real, int count, MPI_Request* requests, int* flag,
            MPI_Status* statuses) {
  const Given given(count, requests, statuses);
  const int result = real(count, requests, flag, given.statuses);
  if (call.succeeded(result) && *flag != 0) all_ended(given);
  return result;
}

int waitany(Call& call, decltype(&MPI_Waitany) real, int count, MPI_Request* requests, int* index, MPI_Status* status) {
  MPI_Status own;
  status = asked_or(status, own);
  const std::vector<MPI_Request> before(requests, requests + count);
  const int result = real(count, requests, index, status);
  if (call.succeeded(result)) one_ended(before.data(), *index, *status);
  return result;
}

int testany(Call& call, decltype(&MPI_Testany) real, int count, MPI_Request* requests, int* index, int* flag,
            MPI_Status* status) {
  MPI_Status own;
  status = asked_or(status, own);
  const std::vector<MPI_Request> before(requests, requests + count);
  const int result = real(count, requests, index, flag, status);
  if (call.succeeded(result) && *flag != 0) one_ended(before.data(), *index, *status);
  return result;
}

/// MPI_Waitsome and MPI_Testsome.
int some(Call& call, decltype(&MPI_Waitsome) real, int count, MPI_Request* requests, int* ended, int* indices,
         MPI_Status* statuses) {
  const Given given(count, requests, statuses);
  const int result = real(count, requests, ended, indices, given.statuses);
  if (call.succeeded(result)) some_ended(given, *ended, indices);
  return result;
}

// What follows from these may be seen by another thread before they have returned, so they are recorded before.

int startall(Call& call, decltype(&MPI_Startall) real, int count, MPI_Request* requests) {
  const std::vector<MPI_Request> before(requests, requests + count);
  {
    Entry entry(Record::start);
    entry.put(false, count);
    for (const auto request : before) entry.put(number_of(request));
  }
  const int result = real(count, requests);
  if (call.succeeded(result)) rename_changed(before.data(), requests, count);
  return result;
}

int start(Call& call, decltype(&MPI_Start) real, MPI_Request* request) {
  const MPI_Request before = *request;
  Entry(Record::start).put(true, 1, number_of(before));
  const int result = real(request);
  if (call.succeeded(result)) rename_changed(&before, request, 1);
  return result;
}

int request_free(Call& call, decltype(&MPI_Request_free) real, MPI_Request* request) {
  Entry(Record::freed).put(number_of(*request));
  const int result = real(request);
  call.succeeded(result);
  return result;
}

CAPTURE(MPI_Wait, wait)
CAPTURE(MPI_Test, test)
CAPTURE(MPI_Waitall, waitall)
CAPTURE(MPI_Testall, testall)
CAPTURE(MPI_Waitany, waitany)
CAPTURE(MPI_Testany, testany)
CAPTURE(MPI_Waitsome, some)
CAPTURE(MPI_Testsome, some)
CAPTURE(MPI_Start, start)
CAPTURE(MPI_Startall, startall)
CAPTURE(MPI_Request_free, request_free)

}  // namespace
}  // namespace toroid::capture
