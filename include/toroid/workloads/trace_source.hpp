#pragma once
// Where a trace comes from: the TRACE argument of the command.
//
//   const auto trace = workloads::open_trace("cg:class=A,ranks=64");

#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {

/// A TRACE argument: a file in one of the trace_formats(), a folder with one file *.ti, *.ti.gz or *.ti.zst, or a
/// generator spec such as `stencil:grid=4x4x4`.
class TraceSource {
 public:
  /// Implicit, so that a text may stand where a source is wanted. Throws InputError unless there is such a file, folder
  /// or generator, and the generator has such keys and values; files are not read.
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> TraceSource(const Text& text)
      : text_(std::string_view(text)) {
    check();
  }

  /// A trace that lies in memory, which `open` gives and messages call `name`.
  TraceSource(std::string name, std::function<std::unique_ptr<Trace>()> open)
      : text_(std::move(name)), open_(std::move(open)) {}

  const std::string& text() const { return text_; }
  /// Throws InputError where the trace cannot be read.
  std::unique_ptr<Trace> open() const;

  friend bool operator==(const TraceSource& a, const TraceSource& b) { return a.text_ == b.text_; }

 private:
  void check() const;

  std::string text_;
  std::function<std::unique_ptr<Trace>()> open_;  ///< empty: the text says where the trace is
};

/// Does what source.open() does: for a trace that is opened at once.
std::unique_ptr<Trace> open_trace(const TraceSource& source);

}  // namespace toroid::workloads
