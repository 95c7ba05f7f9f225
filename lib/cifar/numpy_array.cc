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

// Returns the name of a type. The type must have no fields and no inner shape, which a state may add.
absl::StatusOr<const Value*> TypeName(const Value& dtype) {
  if (!IsCallOf(dtype, kDtype) || dtype.arguments->items.empty()) {
    return Unexpected(dtype, "the numpy type of the array");
  }
  if (dtype.state != nullptr) {
    const auto& state = dtype.state->items;  // anything but a tuple has no items, or no Nones among them
    const bool plain = dtype.state->kind == Value::kTupleKind && state.size() >= 5 &&
                       std::all_of(state.begin() + 2, state.begin() + 5,
                                   [](const Value* part) { return part->kind == Value::kNothing; });
    if (!plain) {
      return Unexpected(*dtype.state, "the state of a type without fields");
    }
  }
  return dtype.arguments->items[0];
}

absl::Status WrongType(const Value& name, absl::string_view expected) {
  const absl::StatusOr<std::string> found = ShortText(name);
  return absl::DataLossError(
      absl::StrCat("byte ", name.at, ": expected ", expected, ", found ",
                   found.ok() ? absl::StrCat("'", pickle::Printable(*found), "'") : pickle::Describe(name)));
}

absl::Status CheckIsUint8(const Value& dtype) {
  ASSIGN_OR_RETURN(const Value* name, TypeName(dtype));
  const bool is_uint8 = IsText(*name, "u1") || IsText(*name, "|u1") || IsText(*name, "B") || IsText(*name, "uint8");
  return is_uint8 ? absl::OkStatus() : WrongType(*name, "numbers of type 'u1' (uint8)");
}

// Type of an integer.
struct IntegerType {
  size_t bytes = 1;
  bool is_signed = false;
  bool big_endian = false;
};

// Reads a type such as 'i8', whose byte order is in its state, or '>i8'.
absl::StatusOr<IntegerType> ReadIntegerType(const Value& dtype) {
  ASSIGN_OR_RETURN(const Value* name, TypeName(dtype));
  for (const char kind : {'i', 'u'}) {
    for (const size_t bytes : {1, 2, 4, 8}) {
      const std::string plain = absl::StrCat(std::string(1, kind), bytes);
      for (const char* order : {"", "|", "<", "=", ">"}) {
        if (IsText(*name, order + plain)) {
          const bool state_says_big = dtype.state != nullptr && IsText(*dtype.state->items[1], ">");
          return IntegerType{bytes, kind == 'i', *order == '>' || state_says_big};
        }
      }
    }
  }
  return WrongType(*name, "integers of 1, 2, 4 or 8 bytes");
}

// Returns the number of the next type.bytes bytes. A number that no int64_t can hold becomes a negative one.
int64_t NumberOf(absl::string_view bytes, const IntegerType& type) {
  uint64_t bits = 0;
  for (size_t i = 0; i < type.bytes; ++i) {
    bits = bits << 8 | static_cast<uint8_t>(bytes[type.big_endian ? i : type.bytes - 1 - i]);
  }
  const size_t unused = 64 - 8 * type.bytes;
  return type.is_signed ? static_cast<int64_t>(bits << unused) >> unused : static_cast<int64_t>(bits);
}

// Returns the number of elements of a vector, or of a matrix with one column.
absl::StatusOr<size_t> ReadCount(const Value& shape, size_t max_count) {
  const auto& sizes = shape.items;
  const bool is_vector = shape.kind == Value::kTupleKind && (sizes.size() == 1 || sizes.size() == 2) &&
                         sizes[0]->kind == Value::kInt &&
                         (sizes.size() == 1 || (sizes[1]->kind == Value::kInt && sizes[1]->number == 1));
  if (!is_vector) {
    return Unexpected(shape, "the shape (images,)");
  }
  const int64_t count = sizes[0]->number;
  if (count < 1 || count > static_cast<int64_t>(max_count)) {
    return absl::DataLossError(
        absl::StrCat("byte ", shape.at, ": expected 1 to ", max_count, " numbers, found ", count));
  }
  return static_cast<size_t>(count);
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

bool IsArray(const Value& value) {
  return IsCallOf(value, kReconstruct) || IsCallOf(value, kReconstruct2) || IsCallOf(value, kFromBuffer) ||
         IsCallOf(value, kFromBuffer2);
}

absl::StatusOr<std::vector<int64_t>> ReadIntegers(const Value& value, size_t max_count) {
  ASSIGN_OR_RETURN(const Parts parts, TakeApart(value));
  ASSIGN_OR_RETURN(const size_t count, ReadCount(*parts.shape, max_count));
  ASSIGN_OR_RETURN(const IntegerType type, ReadIntegerType(*parts.dtype));
  std::string decoded;
  ASSIGN_OR_RETURN(absl::string_view bytes, ReadBytes(*parts.bytes, decoded));
  if (bytes.size() != count * type.bytes) {
    return absl::DataLossError(absl::StrCat("byte ", parts.bytes->at, ": expected ", count, " x ", type.bytes,
                                            " bytes, found ", bytes.size()));
  }
  std::vector<int64_t> numbers;
  for (; !bytes.empty(); bytes.remove_prefix(type.bytes)) {
    numbers.push_back(NumberOf(bytes, type));
  }
  return numbers;
}

absl::StatusOr<int64_t> ReadInteger(const Value& value) {
  if (value.kind == Value::kInt) {
    return value.number;
  }
  const bool is_scalar = (IsCallOf(value, kScalar) || IsCallOf(value, kScalar2)) && value.arguments->items.size() == 2;
  if (!is_scalar) {
    return Unexpected(value, "a whole number");
  }
  ASSIGN_OR_RETURN(const IntegerType type, ReadIntegerType(*value.arguments->items[0]));
  std::string decoded;
  ASSIGN_OR_RETURN(const absl::string_view bytes, ReadBytes(*value.arguments->items[1], decoded));
  if (bytes.size() != type.bytes) {
    return absl::DataLossError(
        absl::StrCat("byte ", value.at, ": expected an integer of ", type.bytes, " bytes, found ", bytes.size()));
  }
  return NumberOf(bytes, type);
}

}  // namespace lockstep
