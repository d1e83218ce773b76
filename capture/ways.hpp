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
#include <mpi.h>

#include <tuple>

#include "capture/recorder.hpp"

namespace toroid::capture {

// What MPI gives the program, as the numbers that are recorded.

/// The number under which a handle (of a request, a communicator, a message) of this process is recorded. 0 is no
/// request: the call blocks.
template <class Handle>
std::uint64_t number_of(Handle* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}
inline std::uint64_t number_of(MPI_Request request) {
  return request == MPI_REQUEST_NULL ? 0 : reinterpret_cast<std::uintptr_t>(request);
}
inline std::uint64_t number_of(const MPI_Request* request) {
  return request == nullptr ? 0 : number_of(*request);
}

/// The size of a datatype in bytes, that of its data alone, without gaps.
inline std::uint64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(size);
}
inline std::uint64_t bytes_of(int count, MPI_Datatype type) {
  return static_cast<std::uint64_t>(count) * size_of(type);
}

inline workloads::CommRank partner_of(int rank) {
  if (rank == MPI_ANY_SOURCE) return workloads::any_source;
  return rank == MPI_PROC_NULL ? workloads::no_process : rank;
}
inline std::int32_t tag_of(int tag) {
  return tag == MPI_ANY_TAG ? workloads::any_tag : tag;
}

/// Replaces a request that the library shares among calls by one of its own, so that it is known what the program waits
/// for. Open MPI has one request for all that have ended when they are posted, and so may its transports for sends.
void make_unique(MPI_Request& request);
/// Finds out which requests the library shares. Called once MPI is initialized.
void find_shared_requests();

/// Records that the request that was recorded as `from` is called `to` from now on.
void rename(std::uint64_t from, std::uint64_t to);
/// Records that a request has ended that the rank had waited for.
void complete(std::uint64_t request, const MPI_Status* status = nullptr);

/// Records a communicator that all ranks of `parent` have made together, or, for record_communicator_of_group(), that
/// its own ranks have made with a tag. `made` is MPI_COMM_NULL if this rank is not in it.
void record_communicator(MPI_Comm parent, MPI_Comm made);
void record_communicator_of_group(MPI_Comm parent, int tag, MPI_Comm made);

// Calls, and the ways in which they are recorded.

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
