#include "python/calls.hpp"

#include <sys/syscall.h>

namespace toroid::python {
namespace {

/// `FILE:LINE: ` of what was being done in the code of users, not in the package.
std::string place_of(const py::error_already_set& error) {
  const auto package = shown(py::module_::import("toroid").attr("__path__")[py::int_(0)]);
  std::string place;
  for (py::object at = error.trace() ? error.trace() : py::none(); !at.is_none(); at = at.attr("tb_next")) {
    const auto file = shown(at.attr("tb_frame").attr("f_code").attr("co_filename"));
    if (file.starts_with('<') || file.starts_with(package + "/")) continue;
    place = fmt::format("{}:{}: ", file, at.attr("tb_lineno").cast<int>());
  }
  return place;
}

/// The place, the type and the message, on one line.
std::string first_line(const py::error_already_set& error) {
  const auto type = shown(error.type().attr("__name__")), text = shown(error.value());
  return place_of(error) + type + (text.empty() ? "" : ": " + text.substr(0, text.find('\n')));
}

bool is_main_thread() {
  return ::syscall(SYS_gettid) == ::getpid();
}

int stoppable_runs = 0;  // of the main thread, one within the other
int runs_at_work = 0;    // of all threads; Python's lock guards it

}  // namespace

CallError::CallError(const std::string& who, std::shared_ptr<py::error_already_set> error)
    : InputError(fmt::format("{}: {}", who, first_line(*error))), error_(std::move(error)) {
  try {
    if (py::hasattr(error_->value(), "add_note")) error_->value().attr("add_note")(python_text("in " + who));
  } catch (const py::error_already_set&) {  // an exception that takes no notes
  }
}

void end_if_forked(pid_t process, const std::string& who, const py::error_already_set* error) {
  if (::getpid() == process) return;
  if (error != nullptr && error->matches(PyExc_SystemExit)) {
    const py::object code = error->value().attr("code");
    ::_exit(code.is_none() ? 0 : py::isinstance<py::int_>(code) ? code.cast<int>() : 1);
  }
  fmt::print(stderr, "toroid: {}: comes back in a process that it has forked, expected os._exit() there\n", who);
  ::_exit(1);
}

std::string shown(const py::handle& thing) {
  const auto text = py::reinterpret_steal<py::object>(PyObject_Str(thing.ptr()));
  const auto bytes = py::reinterpret_steal<py::object>(
      text ? PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace") : nullptr);
  if (bytes) return bytes.cast<std::string>();
  PyErr_Clear();
  return "a text that cannot be made";
}

py::str python_text(const std::string& text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

bool is_at_work() {
  return runs_at_work > 0;
}

AtWork::AtWork() {
  ++runs_at_work;
}

AtWork::~AtWork() {
  --runs_at_work;
}

Stoppable::Stoppable() {
  if (is_main_thread() && stoppable_runs++ == 0) interruptible_.emplace(core::Interruptible::Ends::runs);
}

Stoppable::~Stoppable() {
  if (is_main_thread()) --stoppable_runs;
}

void Stoppable::check() const {
  if (!interruptible_ || !core::is_interrupted()) return;
  // A handler that throws nothing does not make the run whole again.
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

void import_numpy() {
  py::module_::import("numpy");
}

std::int64_t whole_number(const py::object& given, const std::string& what) {
  try {
    return given.cast<std::int64_t>();
  } catch (const py::cast_error&) {
    core::fail_input("{}: found {}, expected a whole number", what, core::excerpt(std::string(py::repr(given))));
  }
}

bool is_text(const py::object& given) {
  return py::isinstance<py::str>(given) || py::isinstance(given, py::module_::import("os").attr("PathLike"));
}

std::string text_of(const py::object& given, const std::string& what) {
  if (!is_text(given))
    core::fail_input("{}: found {}, expected a text", what, core::excerpt(std::string(py::repr(given))));
  try {
    return py::module_::import("os").attr("fsencode")(given).cast<std::string>();
  } catch (const py::error_already_set&) {
    core::fail_input("{}: found {}, expected a text or a path", what, core::excerpt(std::string(py::repr(given))));
  }
}

std::vector<std::int64_t> whole_numbers(const py::object& given, const std::string& what) {
  const auto array = py::array::ensure(given);
  if (!array) {
    PyErr_Clear();
    core::fail_input("{}: found {}, expected whole numbers", what, std::string(py::str(py::type::of(given))));
  }
  const auto kind = array.dtype().kind();
  if (array.ndim() != 1 || (array.size() > 0 && kind != 'i' && kind != 'u'))
    core::fail_input("{}: found an array of {} with {} dimensions, expected whole numbers in one", what,
                     std::string(py::str(array.dtype())), array.ndim());
  const auto numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(array);
  return {numbers.data(), numbers.data() + numbers.size()};
}

}  // namespace toroid::python
