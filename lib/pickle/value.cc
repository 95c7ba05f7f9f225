#include "lib/pickle/value.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace lockstep::pickle {

bool IsNameOf(const Value& value, const Global& global) {
  return value.kind == Value::kGlobalName && value.module == global.module && value.text == global.name;
}

bool IsCallOf(const Value& value, const Global& global) {
  return value.kind == Value::kCall && value.module == global.module && value.text == global.name;
}

std::string Describe(const Value& value) {
  switch (value.kind) {
    case Value::kMarkKind:
      return "a mark";
    case Value::kNothing:
      return "None";
    case Value::kBool:
      return value.number != 0 ? "True" : "False";
    case Value::kInt:
      return absl::StrCat("the number ", value.number);
    case Value::kBigInt:
      return absl::StrCat("a number of ", 8 * value.text.size(), " bits");
    case Value::kFloat:
      return absl::StrCat("the number ", value.real);
    case Value::kString:
      return absl::StrCat("the text '", Printable(value.text), "'");
    case Value::kBytes:
      return absl::StrCat(value.text.size(), " bytes");
    case Value::kGlobalName:
      return absl::StrCat(Printable(value.module), " ", Printable(value.text));
    case Value::kTupleKind:
      return "a tuple";
    case Value::kList:
      return "a list";
    case Value::kSet:
      return "a set";
    case Value::kDict:
      return "a dict";
    case Value::kPersistent:
      return "a persistent id";
    case Value::kCall:
      return absl::StrCat("a call of ", Printable(value.module), " ", Printable(value.text));
  }
  return "nothing";
}

std::string Printable(absl::string_view text) {
  constexpr size_t kMax = 60;
  return absl::StrCat(absl::CHexEscape(text.substr(0, kMax)), text.size() > kMax ? "..." : "");
}

}  // namespace lockstep::pickle
