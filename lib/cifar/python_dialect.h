// What pickles of CIFAR-10's Python version are made of: their dialect, and their texts.
#ifndef LOCKSTEP_LIB_CIFAR_PYTHON_DIALECT_H_
#define LOCKSTEP_LIB_CIFAR_PYTHON_DIALECT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/pickle/machine.h"
#include "lib/pickle/value.h"

namespace lockstep {

// The globals that numpy and Python name in these files; numpy 2 moved its own from numpy.core to numpy._core.
inline constexpr pickle::Global kReconstruct = {"numpy.core.multiarray", "_reconstruct", pickle::Global::kBuilt};
inline constexpr pickle::Global kReconstruct2 = {"numpy._core.multiarray", "_reconstruct", pickle::Global::kBuilt};
inline constexpr pickle::Global kFromBuffer = {"numpy.core.numeric", "_frombuffer", pickle::Global::kCalled};
inline constexpr pickle::Global kFromBuffer2 = {"numpy._core.numeric", "_frombuffer", pickle::Global::kCalled};
inline constexpr pickle::Global kNdarray = {"numpy", "ndarray", pickle::Global::kNamed};
inline constexpr pickle::Global kDtype = {"numpy", "dtype", pickle::Global::kBuilt};
inline constexpr pickle::Global kEncode = {"_codecs", "encode", pickle::Global::kCalled};

// Protocols 2 to 5. Lives as long as the program.
const pickle::Dialect& PythonDialect();

// DataLoss: "byte N: expected WHAT, found a list".
absl::Status Unexpected(const pickle::Value& value, absl::string_view what);

// The bytes of a bytes, a str of Python 2, or the call _codecs.encode(text, 'latin1') that Python 3 writes for bytes at
// protocol 2: then they are decoded into `decoded`, else they are a view into the pickle. DataLoss: something else.
absl::StatusOr<absl::string_view> ReadBytes(const pickle::Value& value, std::string& decoded);

// Whether a key or a name, bytes as above or a text, is `ascii`. Takes no memory.
bool IsText(const pickle::Value& value, absl::string_view ascii);

// A key or a name: bytes as above or a text, at most 1,000 bytes of the pickle.
absl::StatusOr<std::string> ShortText(const pickle::Value& value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PYTHON_DIALECT_H_
