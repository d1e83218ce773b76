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

}  // namespace
}  // namespace toroid::capture
