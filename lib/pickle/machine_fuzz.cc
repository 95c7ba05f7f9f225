// Reads any bytes as a pickle, in the widest possible dialect: every supported opcode, any global. The result must hold
// views into the pickle, must end within it, and must be described in one printable line.
#include <functional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/pickle/machine.h"
#include "lib/testing/fuzz.h"

namespace lockstep::pickle {
namespace {

constexpr size_t kMaxObjects = 10'000;

constexpr Op kEveryOpcode[] = {
    kMark,      kStop,       kBinBytes,        kShortBinBytes,  kBinInt,      kBinInt1,   kBinInt2, kNone,
    kBinPersId, kReduce,     kBinString,       kShortBinString, kBinUnicode,  kAppend,    kBuild,   kGlobal,
    kAppends,   kBinGet,     kLongBinGet,      kBinPut,         kLongBinPut,  kSetItem,   kTuple,   kSetItems,
    kEmptyDict, kEmptyTuple, kEmptyList,       kProto,          kTuple1,      kTuple2,    kTuple3,  kNewTrue,
    kNewFalse,  kLong1,      kShortBinUnicode, kBinBytes8,      kStackGlobal, kMemoize,   kFrame,   kByteArray8,
    kBinFloat,  kLong4,      kBinUnicode8,     kEmptySet,       kAddItems,    kFrozenSet, kNewObj,  kNewObjEx};

Dialect EveryDialect() {
  static constexpr Global kOrderedDict = {"collections", "OrderedDict", Global::kBuilt};
  Dialect dialect;
  dialect.before = "any pickle: ";
  dialect.opcodes = kEveryOpcode;
  dialect.first_protocol = 0;
  dialect.last_protocol = 5;
  dialect.protocols = "any";
  dialect.dict_class = &kOrderedDict;
  dialect.max_objects = kMaxObjects;
  return dialect;
}

void CheckView(absl::string_view text, absl::string_view pickle) {
  const std::less_equal<const char*> not_behind;
  FUZZ_CHECK(text.empty() || (not_behind(pickle.data(), text.data()) &&
                              not_behind(text.data() + text.size(), pickle.data() + pickle.size())));
}

void CheckPrintable(const std::string& text) {
  for (const char c : text) {
    FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  }
}

void CheckObjects(const Objects& objects, absl::string_view pickle) {
  FUZZ_CHECK(objects.root != nullptr);
  FUZZ_CHECK(objects.size <= pickle.size());
  FUZZ_CHECK(objects.all.size() <= kMaxObjects);
  for (const Value& value : objects.all) {
    FUZZ_CHECK(value.at < pickle.size());
    CheckView(value.text, pickle);
    CheckView(value.module, pickle);
    CheckPrintable(Describe(value));
    for (const Value* item : value.items) {
      FUZZ_CHECK(item != nullptr && item->kind != Value::kMarkKind);
    }
    FUZZ_CHECK(value.kind != Value::kDict || value.items.size() % 2 == 0);
  }
}

}  // namespace
}  // namespace lockstep::pickle

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view pickle = lockstep::testing::Bytes(data, size);
  static const lockstep::pickle::Dialect dialect = lockstep::pickle::EveryDialect();
  const absl::StatusOr<lockstep::pickle::Objects> objects = lockstep::pickle::ReadPickle(pickle, dialect);
  if (!objects.ok()) {
    lockstep::testing::CheckUserError(objects.status());
    return 0;
  }
  lockstep::pickle::CheckObjects(*objects, pickle);
  return 0;
}
