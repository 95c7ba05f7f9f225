#include "lib/cifar/numpy_array.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/python_dialect.h"

namespace lockstep {
namespace {

using pickle::Value;

// Parts of a pickled array, unchecked.
struct Parts {
  const Value* shape;
  const Value* dtype;
  const Value* bytes;
};

// Returns true for False, or for 0, which older pickles have.
bool IsFalse(const Value& value) {
  return (value.kind == Value::kBool || value.kind == Value::kInt) && value.number == 0;
}

absl::StatusOr<Parts> TakeReconstruct(const Value& call) {
  if (call.arguments->items.size() != 3 || !IsNameOf(*call.arguments->items[0], kNdarray)) {
    return Unexpected(call, "_reconstruct(numpy.ndarray, (0,), b'b')");
  }
  const Value& given = call.state != nullptr ? *call.state : call;
  if (given.kind != Value::kTupleKind || given.items.size() != 5) {
    return Unexpected(given, "an array's state of version, shape, type, order, bytes");
  }
  const auto& state = given.items;
  if (state[0]->kind != Value::kInt || state[0]->number != 1) {
    return Unexpected(*state[0], "version 1 of an array's state");
  }
  if (!IsFalse(*state[3])) {
    return Unexpected(*state[3], "an array in C order (rows one after another)");
  }
  return Parts{state[1], state[2], state[4]};
}

absl::StatusOr<Parts> TakeFromBuffer(const Value& call) {
  const auto& arguments = call.arguments->items;
  if (arguments.size() != 4) {
    return Unexpected(call, "_frombuffer(bytes, type, shape, order)");
  }
  if (!IsText(*arguments[3], "C")) {
    return Unexpected(*arguments[3], "an array in C order (rows one after another)");
  }
  return Parts{arguments[2], arguments[1], arguments[0]};
}

absl::StatusOr<Parts> TakeApart(const Value& value) {
  if (IsCallOf(value, kReconstruct) || IsCallOf(value, kReconstruct2)) {
    return TakeReconstruct(value);
  }
  if (IsCallOf(value, kFromBuffer) || IsCallOf(value, kFromBuffer2)) {
    return TakeFromBuffer(value);
  }
  return Unexpected(value, "a numpy array");
}

// Checks that the type is uint8: by name, and without the fields or the inner shape that a state may add.
absl::Status CheckIsUint8(const Value& dtype) {
  const auto is_uint8 = [](const Value& name) {
    return IsText(name, "u1") || IsText(name, "|u1") || IsText(name, "B") || IsText(name, "uint8");
  };
  if (!IsCallOf(dtype, kDtype) || dtype.arguments->items.empty()) {
    return Unexpected(dtype, "the numpy type of the array");
  }
  const Value& name = *dtype.arguments->items[0];
  if (!is_uint8(name)) {
    const absl::StatusOr<std::string> found = ShortText(name);
    return absl::DataLossError(
        absl::StrCat("byte ", name.at, ": expected numbers of type 'u1' (uint8), found ",
                     found.ok() ? absl::StrCat("'", pickle::Printable(*found), "'") : pickle::Describe(name)));
  }
  if (dtype.state == nullptr) {
    return absl::OkStatus();
  }
  const auto& state = dtype.state->items;  // anything but a tuple has no items, or no Nones among them
  const bool plain = dtype.state->kind == Value::kTupleKind && state.size() >= 5 &&
                     std::all_of(state.begin() + 2, state.begin() + 5,
                                 [](const Value* part) { return part->kind == Value::kNothing; });
  return plain ? absl::OkStatus() : Unexpected(*dtype.state, "the state of a type without fields");
}

absl::StatusOr<size_t> ReadRows(const Value& shape, size_t max_rows, size_t columns) {
  const auto& sizes = shape.items;
  const bool is_matrix = shape.kind == Value::kTupleKind && sizes.size() == 2 && sizes[0]->kind == Value::kInt &&
                         sizes[1]->kind == Value::kInt;
  if (!is_matrix) {
    return Unexpected(shape, absl::StrCat("the shape (images, ", columns, ")"));
  }
  const int64_t rows = sizes[0]->number;
  if (rows < 1 || rows > static_cast<int64_t>(max_rows) || sizes[1]->number != static_cast<int64_t>(columns)) {
    return absl::DataLossError(absl::StrCat("byte ", shape.at, ": expected the shape (1 to ", max_rows, ", ", columns,
                                            "), found (", rows, ", ", sizes[1]->number, ")"));
  }
  return static_cast<size_t>(rows);
}

}  // namespace

absl::StatusOr<ByteMatrix> ReadByteMatrix(const Value& value, size_t max_rows, size_t columns, std::string& decoded) {
  ASSIGN_OR_RETURN(const Parts parts, TakeApart(value));
  ByteMatrix matrix;
  ASSIGN_OR_RETURN(matrix.rows, ReadRows(*parts.shape, max_rows, columns));
  RETURN_IF_ERROR(CheckIsUint8(*parts.dtype));
  ASSIGN_OR_RETURN(matrix.bytes, ReadBytes(*parts.bytes, decoded));
  if (matrix.bytes.size() != matrix.rows * columns) {
    return absl::DataLossError(absl::StrCat("byte ", parts.bytes->at, ": expected ", matrix.rows, " x ", columns,
                                            " bytes, found ", matrix.bytes.size()));
  }
  return matrix;
}

}  // namespace lockstep
