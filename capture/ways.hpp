#pragma once
// The ways in which calls are recorded. Each is a template over a function that describes the call. It gets its
// arguments, and of messages and collectives behind them the address of the request, null if there is none.

#include <tuple>

#include "capture/handles.hpp"
#include "capture/wrap.hpp"

namespace toroid::capture {

/// The last of a call's arguments.
template <class... Arguments>
auto last_of(Arguments... arguments) {
  return std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
}

/// A handle that stands for a request while a call lasts: the address of the call, which no other request has.
inline MPI_Request stand_in(Call& call) {
  return reinterpret_cast<MPI_Request>(&call);
}

/// Records a call after it has returned, when everything about it is known.
template <auto describe, class... Arguments>
int plain(Call& call, int (*real)(Arguments...), Arguments... arguments) {
  const int result = real(arguments...);
  if (call.succeeded(result)) describe(arguments...);
  return result;
}

/// Records a send or collective that blocks. With several threads it is recorded in two parts: as one that does not
/// block, and its end.
template <auto describe, class... Arguments>
int blocking(Call& call, int (*real)(Arguments...), Arguments... arguments) {
  const MPI_Request request = stand_in(call);
  if (recorder.several_threads()) describe(arguments..., &request);
  const int result = real(arguments...);
  if (!call.succeeded(result)) return result;
  if (recorder.several_threads())
    complete(number_of(request));
  else
    describe(arguments..., nullptr);
  return result;
}

/// Records a call whose last argument is a request. With several threads it is recorded before it is done, as another
/// thread may see its effects before it has returned, and its request is renamed when that is known.
template <auto describe, class... Arguments>
int nonblocking(Call& call, int (*real)(Arguments...), Arguments... arguments) {
  MPI_Request& request = *last_of(arguments...);
  if (recorder.several_threads()) {
    request = stand_in(call);
    describe(arguments...);
  }
  const int result = real(arguments...);
  if (!call.succeeded(result)) return result;
  make_unique(request);
  if (recorder.several_threads())
    rename(number_of(stand_in(call)), number_of(request));
  else
    describe(arguments...);
  return result;
}

/// A collective, and the one that does not block.
#define CAPTURE_COLLECTIVE(blocks, does_not, ...) \
  CAPTURE(blocks, blocking<__VA_ARGS__>)          \
  CAPTURE(does_not, nonblocking<__VA_ARGS__>)

}  // namespace toroid::capture
