#pragma once
// Pictures as PDF, by a program that draws SVG.

#include <string>

namespace toroid::cli {

/// The SVG picture as a PDF of the same size, by rsvg-convert. The same picture gives the same bytes. Throws InputError
/// where that program is not installed, SimulationError where it fails.
std::string pdf_of(const std::string& svg);

}  // namespace toroid::cli
