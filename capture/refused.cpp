// Calls that are not captured. The first one ends the program, and the trace is refused with its name. Of one-sided
// communication and inter-communicators those calls suffice without which there are none.

#include "capture/ways.hpp"

namespace toroid::capture {
namespace {

template <class... Arguments>
int refused(Call& call, int (*real)(Arguments...), Arguments... arguments) {
  refuse(std::string(call.name) + " cannot be captured");
  return real(arguments...);
}

#define REFUSE(function) CAPTURE(function, refused)

REFUSE(MPI_Win_allocate)
REFUSE(MPI_Win_allocate_shared)
REFUSE(MPI_Win_create)
REFUSE(MPI_Win_create_dynamic)
REFUSE(MPI_Intercomm_create)
REFUSE(MPI_Comm_accept)
REFUSE(MPI_Comm_connect)
REFUSE(MPI_Comm_join)
REFUSE(MPI_Comm_spawn)
REFUSE(MPI_Comm_spawn_multiple)
REFUSE(MPI_Cancel)
REFUSE(MPI_Grequest_start)

// Files. Calls on them are no operations of a trace: the program goes on without them if the user leaves files out, and
// is refused otherwise. What MPI sends within them is theirs, and their time is no computation.

/// What a call returns is the program's affair: some look by it whether there is a file.
template <class... Arguments>
int left_out(Call& call, int (*real)(Arguments...), Arguments... arguments) {
  if (!recorder.leaves_files_out())
    refuse(std::string(call.name) + " cannot be captured; --leave-out files captures the program without its files");
  return real(arguments...);
}

/// Waiting for it is no operation either.
template <class... Arguments>
int left_out_request(Call& call, int (*real)(Arguments...), Arguments... arguments) {
  const int result = left_out(call, real, arguments...);
  MPI_Request& request = *last_of(arguments...);
  if (result != MPI_SUCCESS || request == MPI_REQUEST_NULL) return result;
  make_unique(request);
  Entry(Record::silent).put(number_of(request));
  return result;
}

#define LEAVE_OUT(call) CAPTURE(MPI_File_##call, left_out)
#define LEAVE_OUT_BOTH(rest)             \
  CAPTURE(MPI_File_read##rest, left_out) \
  CAPTURE(MPI_File_write##rest, left_out)
#define LEAVE_OUT_SPLIT(rest)  \
  LEAVE_OUT_BOTH(rest)         \
  LEAVE_OUT_BOTH(rest##_begin) \
  LEAVE_OUT_BOTH(rest##_end)
#define LEAVE_OUT_REQUESTS(rest)                  \
  CAPTURE(MPI_File_iread##rest, left_out_request) \
  CAPTURE(MPI_File_iwrite##rest, left_out_request)

LEAVE_OUT(open)
LEAVE_OUT(close)
LEAVE_OUT(delete)
LEAVE_OUT(sync)
LEAVE_OUT(preallocate)
LEAVE_OUT(set_size)
LEAVE_OUT(set_view)
LEAVE_OUT(set_info)
LEAVE_OUT(seek_shared)
LEAVE_OUT_BOTH()
LEAVE_OUT_BOTH(_at)
LEAVE_OUT_BOTH(_shared)
LEAVE_OUT_SPLIT(_all)
LEAVE_OUT_SPLIT(_at_all)
LEAVE_OUT_SPLIT(_ordered)
LEAVE_OUT_REQUESTS()
LEAVE_OUT_REQUESTS(_all)
LEAVE_OUT_REQUESTS(_at)
LEAVE_OUT_REQUESTS(_at_all)
LEAVE_OUT_REQUESTS(_shared)

}  // namespace
}  // namespace toroid::capture
