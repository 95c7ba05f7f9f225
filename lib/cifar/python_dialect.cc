#include "lib/cifar/python_dialect.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/pickle/opcodes.h"

namespace lockstep {
namespace {

using pickle::Value;

// Opcodes of the published files, and those that CPython 3's pickle and numpy's __reduce__ write for the same dicts.
constexpr pickle::Op kOpcodes[] = {
    pickle::kProto,    pickle::kFrame,         pickle::kStop,           pickle::kMark,       pickle::kNone,
    pickle::kNewTrue,  pickle::kNewFalse,      pickle::kBinInt,         pickle::kBinInt1,    pickle::kBinInt2,
    pickle::kLong1,    pickle::kBinString,     pickle::kShortBinString, pickle::kBinUnicode, pickle::kShortBinUnicode,
    pickle::kBinBytes, pickle::kShortBinBytes, pickle::kBinBytes8,      pickle::kByteArray8, pickle::kEmptyTuple,
    pickle::kTuple1,   pickle::kTuple2,        pickle::kTuple3,         pickle::kTuple,      pickle::kEmptyList,
    pickle::kAppend,   pickle::kAppends,       pickle::kEmptyDict,      pickle::kSetItem,    pickle::kSetItems,
    pickle::kBinPut,   pickle::kLongBinPut,    pickle::kMemoize,        pickle::kBinGet,     pickle::kLongBinGet,
    pickle::kGlobal,   pickle::kStackGlobal,   pickle::kReduce,         pickle::kBuild};

constexpr pickle::Global kGlobals[] = {kReconstruct, kReconstruct2, kFromBuffer, kFromBuffer2, kScalar,
                                       kScalar2,     kNdarray,      kDtype,      kEncode};

// Largest number of objects. A batch of 10,000 images has 20,040; saved again at protocol 2, where each file name is a
// call, it has 40,100. CIFAR-100's `train` has 50,000 images with two labels each, and three objects more for each
// label that is an integer of numpy: 650,000.
constexpr size_t kMaxObjects = 800'000;

constexpr size_t kShortBytes = 1000;

// Decodes UTF-8 of characters up to U+00FF to one byte each.
absl::Status DecodeLatin1(const Value& text, std::string& decoded) {
  const absl::string_view utf8 = text.text;
  decoded.clear();
  decoded.reserve(utf8.size());
  for (size_t i = 0; i < utf8.size(); ++i) {
    const uint8_t byte = static_cast<uint8_t>(utf8[i]);
    if (byte < 0x80) {
      decoded.push_back(utf8[i]);
      continue;
    }
    const bool is_pair =
        (byte == 0xC2 || byte == 0xC3) && i + 1 < utf8.size() && (static_cast<uint8_t>(utf8[i + 1]) & 0xC0) == 0x80;
    if (!is_pair) {
      return absl::DataLossError(absl::StrCat("byte ", text.at, ": expected a text of characters up to U+00FF, found ",
                                              "byte 0x", absl::Hex(byte, absl::kZeroPad2), " at ", i, " of it"));
    }
    decoded.push_back(static_cast<char>((byte & 0x03) << 6 | (utf8[++i] & 0x3F)));
  }
  return absl::OkStatus();
}

// Returns the text of a call _codecs.encode(text, 'latin1'); null if `value` is no such call.
const Value* EncodedText(const Value& value) {
  if (!IsCallOf(value, kEncode) || value.arguments->items.size() != 2) {
    return nullptr;
  }
  const Value& text = *value.arguments->items[0];
  const Value& encoding = *value.arguments->items[1];
  return text.kind == Value::kString && encoding.kind == Value::kString && encoding.text == "latin1" ? &text : nullptr;
}

pickle::Dialect MakeDialect() {
  pickle::Dialect dialect;
  dialect.after = " is not one that CIFAR-10's files use";
  dialect.opcodes = kOpcodes;
  dialect.first_protocol = 2;
  dialect.last_protocol = 5;
  dialect.protocols = "expected 2 to 5";
  dialect.globals = kGlobals;
  dialect.max_objects = kMaxObjects;
  return dialect;
}

}  // namespace

const pickle::Dialect& PythonDialect() {
  static const auto* dialect = new pickle::Dialect(MakeDialect());
  return *dialect;
}

absl::Status Unexpected(const Value& value, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("byte ", value.at, ": expected ", what, ", found ", pickle::Describe(value)));
}

absl::StatusOr<absl::string_view> ReadBytes(const Value& value, std::string& decoded) {
  if (value.kind == Value::kBytes) {
    return value.text;
  }
  const Value* text = EncodedText(value);
  if (text == nullptr) {
    return Unexpected(value, "bytes");
  }
  RETURN_IF_ERROR(DecodeLatin1(*text, decoded));
  return absl::string_view(decoded);
}

bool IsText(const Value& value, absl::string_view ascii) {
  const Value* encoded = EncodedText(value);
  const Value& text = encoded == nullptr ? value : *encoded;
  return (text.kind == Value::kString || text.kind == Value::kBytes) && text.text == ascii;
}

absl::StatusOr<std::string> ShortText(const Value& value) {
  const Value* encoded = EncodedText(value);
  if ((encoded == nullptr ? value : *encoded).text.size() > kShortBytes) {
    return Unexpected(value, absl::StrCat("a text of at most ", kShortBytes, " bytes"));
  }
  if (value.kind == Value::kString) {
    return std::string(value.text);
  }
  std::string decoded;
  ASSIGN_OR_RETURN(const absl::string_view text, ReadBytes(value, decoded));
  return std::string(text);
}

}  // namespace lockstep
