#pragma once
// How a function of MPI is replaced by one that also records. A line
//
//     CAPTURE(MPI_Send, blocking<send<OpKind::send>>)
//
// exports MPI_Send and PMPI_Send. Both, because the Fortran bindings of Open MPI, and others that come with it, call
// the PMPI_ functions: so they need no wrappers of their own. The real one is the next PMPI_Send that the loader finds.
//
// The signature is not written down. What is exported is chosen when the library is loaded (ifunc): an instance of a
// template over the signature that mpi.h declares. All symbols of this library but those are hidden, so that their
// addresses are known before anything is relocated.
//
// The ways in which calls are recorded are templates over a function that describes the call. It gets its arguments,
// and of messages and collectives behind them the address of the request, null if there is none.

#include <dlfcn.h>

#include <tuple>

#include "capture/handles.hpp"

namespace toroid::capture {

/// A call by the program, while it lasts. Calls that MPI itself makes within it do not count.
class Call {
 public:
  explicit Call(const char* function) : name(function), is_recorded_(depth_++ == 0 && recorder.is_on()) {
    if (is_recorded_) recorder.enter();
  }
  ~Call() {
    --depth_;
    if (is_recorded_) recorder.leave();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool is_recorded() const { return is_recorded_; }
  /// Whether the call succeeded. If not, the trace will be refused, as it cannot express a call that failed.
  bool succeeded(int result) const {
    if (result != MPI_SUCCESS) refuse(std::string(name) + " failed");
    return result == MPI_SUCCESS;
  }

  const char* const name;  ///< name of the function: MPI_Send

 private:
  [[gnu::tls_model("initial-exec")]] static inline thread_local int depth_ = 0;
  bool is_recorded_;
};

/// The function `name` with a P in front, in the library that the program would use without us.
template <class Function>
Function* real_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, (std::string("P") + name).c_str()));
}

template <class Captured, class Function>
struct Wrapper;

template <class Captured, class... Arguments>
struct Wrapper<Captured, int(Arguments...)> {
  static int call(Arguments... arguments) {
    static const auto real = real_function<int(Arguments...)>(Captured::name);
    Call call(Captured::name);
    return call.is_recorded() ? Captured::record(call, real, arguments...) : real(arguments...);
  }
};

/// `record(call, real, arguments...)` calls the real function, records, and returns its result.
#define CAPTURE(function, ...)                                                                              \
  namespace {                                                                                               \
  struct Captured_##function {                                                                              \
    static constexpr const char* name = #function;                                                          \
    template <class... Parts>                                                                               \
    static int record(Call& call, Parts... parts) {                                                         \
      return __VA_ARGS__(call, parts...);                                                                   \
    }                                                                                                       \
  };                                                                                                        \
  }                                                                                                         \
  extern "C" {                                                                                              \
  decltype(&function) toroid_choose_##function() {                                                          \
    return Wrapper<Captured_##function, decltype(function)>::call;                                          \
  }                                                                                                         \
  [[gnu::visibility("default"), gnu::ifunc("toroid_choose_" #function)]] decltype(function) function;       \
  [[gnu::visibility("default"), gnu::ifunc("toroid_choose_" #function)]] decltype(P##function) P##function; \
  }

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

/// The status that a call fills: the one that the program asks for, or else `own`.
inline MPI_Status* asked_or(MPI_Status* asked, MPI_Status& own) {
  return asked == MPI_STATUS_IGNORE ? &own : asked;
}

}  // namespace toroid::capture
