// Arrays and numbers in a numpy pickle:
//
//   protocols 2 to 4  numpy.core.multiarray._reconstruct(numpy.ndarray, (0,), b'b'), with the state
//                     (1, (rows, columns), dtype, is_fortran, bytes)
//   protocol 5        numpy.core.numeric._frombuffer(bytearray, dtype, (rows, columns), 'C')
//   dtype             numpy.dtype('u1', align, copy), with the state (3, '|', None, None, None, -1, -1, 0)
//   a single number   numpy.core.multiarray.scalar(dtype, bytes)
//
// Sources: numpy/core/src/multiarray/methods.c (array_reduce, array_reduce_ex_picklebuffer) and descriptor.c
// (arraydescr_reduce), scalartypes.c.src (gentype_reduce).
#ifndef LOCKSTEP_LIB_CIFAR_NUMPY_ARRAY_H_
#define LOCKSTEP_LIB_CIFAR_NUMPY_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/pickle/value.h"

namespace lockstep {

struct ByteMatrix {
  size_t rows = 0;
  absl::string_view bytes;  // bytes in row-major order
};

// Returns the matrix that `value`, from a pickle in PythonDialect(), stands for. It must be uint8 and row-major, with 1
// to `max_rows` rows of `columns` columns. Its bytes are a view into the pickle, or into `decoded` if they were
// encoded. DataLoss: anything else.
absl::StatusOr<ByteMatrix> ReadByteMatrix(const pickle::Value& value, size_t max_rows, size_t columns,
                                          std::string& decoded);

// Returns true if `value` is an array of numpy, whatever its type and shape.
bool IsArray(const pickle::Value& value);

// Returns the numbers of an array of integers of any size, with the shape (count,) or (count, 1) and at most
// `max_count` numbers. DataLoss: anything else.
absl::StatusOr<std::vector<int64_t>> ReadIntegers(const pickle::Value& value, size_t max_count);

// Returns the number that an int of Python, or an integer of numpy, stands for. DataLoss: anything else.
absl::StatusOr<int64_t> ReadInteger(const pickle::Value& value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_NUMPY_ARRAY_H_
