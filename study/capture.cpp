#include "study/capture.hpp"

namespace toroid::study {

Capture read_capture(const std::string& text) {
  const auto at = text.rfind('@');
  if (at == std::string::npos || text.find('/', at) != std::string::npos)  // a folder's name has that @
    return {text, workloads::TraceSource(text), {}};
  return {text, workloads::TraceSource(text.substr(0, at)), text.substr(at + 1)};
}

}  // namespace toroid::study
