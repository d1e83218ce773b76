#pragma once
// How Python and toroid call each other: without Python's lock while toroid works, with it while a function of Python
// does; and what becomes of interrupts and exceptions on the way.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <memory>

#include "core/interrupt.hpp"
#include "toroid/core/error.hpp"

namespace toroid::python {

namespace py = pybind11;

/// An exception that a function of Python has thrown in the middle of a run. Where the run was called from Python, it
/// goes on as what it was; a worker process tells of it in one line.
class CallError : public core::InputError {
 public:
  CallError(const std::string& who, std::shared_ptr<py::error_already_set> error);
  py::error_already_set& error() const { return *error_; }

 private:
  std::shared_ptr<py::error_already_set> error_;
};

/// Ends the process if it is not `process`: a function of Python has forked it, and comes back in it, too. Says so,
/// unless the function has asked for the end (`error`).
void end_if_forked(pid_t process, const std::string& who, const py::error_already_set* error);

/// Calls `call` with Python's lock; `who` is whose function it is, for messages. Throws CallError where that throws.
template <class Call>
auto with_python(const std::string& who, Call call) {
  const py::gil_scoped_acquire lock;
  const pid_t process = ::getpid();
  try {
    auto result = call();
    end_if_forked(process, who, nullptr);
    return result;
  } catch (py::error_already_set& error) {
    end_if_forked(process, who, &error);
    throw CallError(who, std::make_shared<py::error_already_set>(error));
  }
}

/// While it lives, an interrupt ends the run that this thread makes, if it is the one that Python tells of interrupts.
class Stoppable {
 public:
  Stoppable();
  ~Stoppable();
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;

  /// Throws what Python makes of an interrupt, if there was one: KeyboardInterrupt, unless its handler does not.
  void check() const;

 private:
  std::optional<core::Interruptible> interruptible_;
};

/// Whether any thread is in the middle of run(), where registries are read without Python's lock. To be asked with the
/// lock.
bool is_at_work();

/// While it lives, is_at_work(). Made and left with Python's lock.
class AtWork {
 public:
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

/// Calls `work` without Python's lock; an interrupt ends it.
template <class Work>
auto run(Work work) {
  const Stoppable stoppable;
  const AtWork at_work;
  try {
    auto result = [&] {
      const py::gil_scoped_release unlocked;
      return work();
    }();
    stoppable.check();
    return result;
  } catch (const py::error_already_set&) {
    throw;
  } catch (const std::exception&) {
    stoppable.check();
    throw;
  }
}

/// Whole numbers that Python gives as a list, an array or anything of the kind. Throws InputError, which begins with
/// `what`, on anything else.
std::vector<std::int64_t> whole_numbers(const py::object& given, const std::string& what);

/// One of them. Throws InputError, which begins with `what`, on anything else.
std::int64_t whole_number(const py::object& given, const std::string& what);

/// What Python shows of a thing, for messages.
std::string shown(const py::handle& thing);

/// A text of ours as Python has it: bytes of paths that are no UTF-8 are what os.fsdecode makes of them.
py::str python_text(const std::string& text);

/// Whether it is a text or a path.
bool is_text(const py::object& given);

/// A text or a path. Throws InputError, which begins with `what`, on anything else.
std::string text_of(const py::object& given, const std::string& what);

/// Imports numpy, before whatever may come to use arrays. pybind11 imports numpy at the first array, but holds a lock
/// of C++ meanwhile, and an import gives Python's lock away. A second thread then waits for the lock of C++ with
/// Python's lock in its hands, and both wait for ever.
void import_numpy();

/// An array that takes over a vector, without a copy.
template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* vector) { delete static_cast<std::vector<T>*>(vector); });
  return py::array_t<T>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

}  // namespace toroid::python
