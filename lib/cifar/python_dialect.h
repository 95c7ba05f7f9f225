// Dialect of the pickles of CIFAR's Python version, and readers of their texts.
#ifndef LOCKSTEP_LIB_CIFAR_PYTHON_DIALECT_H_
#define LOCKSTEP_LIB_CIFAR_PYTHON_DIALECT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/pickle/machine.h"
#include "lib/pickle/value.h"

namespace lockstep {

// Globals that numpy and Python name in these files. numpy 2 moved its own from numpy.core to numpy._core.
inline constexpr pickle::Global kReconstruct = {"numpy.core.multiarray", "_reconstruct", pickle::Global::kBuilt};
inline constexpr pickle::Global kReconstruct2 = {"numpy._core.multiarray", "_reconstruct", pickle::Global::kBuilt};
inline constexpr pickle::Global kFromBuffer = {"numpy.core.numeric", "_frombuffer", pickle::Global::kCalled};
inline constexpr pickle::Global kFromBuffer2 = {"numpy._core.numeric", "_frombuffer", pickle::Global::kCalled};
inline constexpr pickle::Global kScalar = {"numpy.core.multiarray", "scalar", pickle::Global::kCalled};
inline constexpr pickle::Global kScalar2 = {"numpy._core.multiarray", "scalar", pickle::Global::kCalled};
inline constexpr pickle::Global kNdarray = {"numpy", "ndarray", pickle::Global::kNamed};
inline constexpr pickle::Global kDtype = {"numpy", "dtype", pickle::Global::kBuilt};
inline constexpr pickle::Global kEncode = {"_codecs", "encode", pickle::Global::kCalled};

// Returns the dialect for protocols 2 to 5, which lives as long as the program.
const pickle::Dialect& PythonDialect();

// Returns DataLossError "byte N: expected WHAT, found a list".
absl::Status Unexpected(const pickle::Value& value, absl::string_view what);

// Returns the bytes of a bytes object, of a str of Python 2, or of the call _codecs.encode(text, 'latin1') that Python
// 3 writes for bytes at protocol 2. The call's bytes are decoded into `decoded`; the others are a view into the pickle.
// DataLoss: anything else.
absl::StatusOr<absl::string_view> ReadBytes(const pickle::Value& value, std::string& decoded);

// Returns true if a key or a name (bytes as above, or a text) equals `ascii`. Allocates no memory.
bool IsText(const pickle::Value& value, absl::string_view ascii);

// Returns a key or a name (bytes as above, or a text), which must have at most 1,000 bytes in the pickle.
absl::StatusOr<std::string> ShortText(const pickle::Value& value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PYTHON_DIALECT_H_
