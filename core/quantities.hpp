#pragma once
// Keys whose values are measured rather than counted (see parameter.hpp).

#include "toroid/core/parameter.hpp"

namespace toroid::core {

Type<double> duration();  ///< seconds, `100ns`
Type<double> flops();     ///< how much is computed, `1kf`
Type<double> real(double low, double high);

}  // namespace toroid::core
