#pragma once
// The formats of communication matrices, one file each; registered in matrices.cpp.

#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {

extern const MatrixFormat matrix_table;
extern const MatrixFormat matrix_list;
extern const MatrixFormat matrix_market;

}  // namespace toroid::workloads
