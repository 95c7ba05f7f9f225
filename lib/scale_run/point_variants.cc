#include "lib/scale_run/point_variants.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

const FieldDescriptor& FieldOf(const Message& message, const std::string& key) {
  return *message.GetDescriptor()->FindFieldByName(key);
}

absl::Status SetWord(const std::string& key, const std::string& word, Message& message) {
  const FieldDescriptor& field = FieldOf(message, key);
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    ASSIGN_OR_RETURN(const int number, ParseEnumNumber(key, word, *field.enum_type()));
    message.GetReflection()->SetEnumValue(&message, &field, number);
  } else {
    message.GetReflection()->SetString(&message, &field, word);
  }
  return absl::OkStatus();
}

std::string WordOf(const std::string& key, const Message& message) {
  const FieldDescriptor& field = FieldOf(message, key);
  return field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM
             ? absl::AsciiStrToLower(message.GetReflection()->GetEnum(message, &field)->name())
             : message.GetReflection()->GetString(message, &field);
}

// Copies the words. The mode of an older record has no word, and stays unchanged.
void CopyWords(const Message& from, Message& to) {
  for (const std::string& key : VariantKeys()) {
    SetWord(key, WordOf(key, from), to).IgnoreError();
  }
}

}  // namespace

const std::vector<std::string>& VariantKeys() {
  static const auto* keys =
      new std::vector<std::string>{"mode", "preset", "gradient_compression", "buffers", "reducer", "bucket_plan"};
  return *keys;
}

absl::Status SetWords(const std::string& key, const std::vector<std::string>& words, proto::ScaleSpec& spec) {
  std::set<std::string> seen;
  for (const std::string& word : words) {
    proto::ScaleSpec tried;
    RETURN_IF_ERROR(SetWord(key, word, tried));
    if (!seen.insert(word).second) {
      return absl::InvalidArgumentError(absl::StrCat("--", key, " holds ", word, " twice"));
    }
  }
  RETURN_IF_ERROR(SetWord(key, words.front(), spec));
  if (words.size() > 1) {
    proto::KeyWords& several = *spec.add_several();
    several.set_key(key);
    several.mutable_word()->Add(words.begin(), words.end());
  }
  return absl::OkStatus();
}

std::vector<proto::ScaleSpec> VariantsOf(const proto::ScaleSpec& spec) {
  std::vector<proto::ScaleSpec> variants = {spec};
  variants.front().clear_several();
  for (const proto::KeyWords& several : spec.several()) {
    std::vector<proto::ScaleSpec> longer;
    for (const proto::ScaleSpec& variant : variants) {
      for (const std::string& word : several.word()) {
        SetWord(several.key(), word, longer.emplace_back(variant)).IgnoreError();  // checked by SetWords
      }
    }
    variants = std::move(longer);
  }
  return variants;
}

void SetVariant(const proto::ScalePoint& point, proto::ScaleSpec& spec) {
  CopyWords(point, spec);
  if (point.mode() == proto::DP) {
    spec.clear_backend();
  }
}

std::string VariantText(const proto::ScaleSpec& several, const Message& message) {
  return absl::StrJoin(several.several(), " ", [&](std::string* text, const proto::KeyWords& words) {
    absl::StrAppend(text, "--", words.key(), "=", WordOf(words.key(), message));
  });
}

std::string PointKey(const proto::ScalePoint& point) {
  proto::ScalePoint key;
  key.set_ranks(point.ranks());
  key.set_batch_per_device(point.batch_per_device());
  key.set_reduction(point.reduction());
  key.set_row(point.row());
  key.set_step(point.step());
  *key.mutable_training() = point.training();
  CopyWords(point, key);
  return key.SerializeAsString();
}

bool AreSameBase(const proto::ScalePoint& a, const proto::ScalePoint& b) {
  return a.reduction() == proto::PLAIN && b.reduction() == proto::PLAIN && a.ranks() == b.ranks() &&
         a.batch_per_device() == b.batch_per_device() && a.preset() == b.preset() && a.row() == b.row() &&
         a.training().SerializeAsString() == b.training().SerializeAsString();
}

}  // namespace lockstep
