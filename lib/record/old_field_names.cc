#include "lib/record/old_field_names.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

struct Renamed {
  absl::string_view type;  // short name of the message
  absl::string_view old_name;
  absl::string_view name;
};

constexpr Renamed kRenamed[] = {
    {"Acceptance", "least_degrees_of_freedom", "min_degrees_of_freedom"},
    {"CommModelSpec", "model", "model_spec"},
    {"Header", "surroundings_sha256", "environment_fingerprint"},
    {"ModelSpec", "least_gain", "min_gain"},
    {"TrainingSpec", "fixed_order", "no_set_epoch"},
    {"TrainingSpec", "fused_norms", "fused_batch_norm"},
    {"TrainingSpec", "lr_milestone", "lr_milestones"},
    {"TrainingSpec", "no_own_kernels", "cudnn_convolutions"},
};

bool HasOldName(absl::string_view json) {
  return std::any_of(std::begin(kRenamed), std::end(kRenamed), [json](const Renamed& renamed) {
    return absl::StrContains(json, absl::StrCat("\"", renamed.old_name, "\""));
  });
}

// Returns the position after the closing quotation mark of the string that begins at json[at], at most json.size().
size_t StringEnd(absl::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    at += json[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, json.size());
}

// Returns true if the next character from json[at] on, white space aside, is a colon.
bool ColonFollows(absl::string_view json, size_t at) {
  while (at < json.size() && absl::ascii_isspace(json[at])) {
    ++at;
  }
  return at < json.size() && json[at] == ':';
}

const Descriptor* TypeOfField(const Descriptor& type, absl::string_view name) {
  const FieldDescriptor* const field = type.FindFieldByName(std::string(name));
  return field == nullptr ? nullptr : field->message_type();  // null for a number, too
}

}  // namespace

absl::string_view PresentFieldName(absl::string_view type, absl::string_view name) {
  for (const Renamed& renamed : kRenamed) {
    if (renamed.type == type && renamed.old_name == name) {
      return renamed.name;
    }
  }
  return "";
}

std::string WithPresentFieldNames(std::string json, const Descriptor& type) {
  if (!HasOldName(json)) {
    return json;  // the common case, without a copy of what may be a whole data set
  }
  const absl::string_view text = json;
  std::string present;
  present.reserve(text.size());
  // Types of the objects and arrays that are open, and of the next value; null: unknown, or not a message.
  std::vector<const Descriptor*> open;
  const Descriptor* next = &type;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '"') {
      if (text[at] == '{' || text[at] == '[') {
        open.push_back(next);
      } else if ((text[at] == '}' || text[at] == ']') && !open.empty()) {
        next = open.back();  // the next element of an array has the same type
        open.pop_back();
      }
      present += text[at++];
      continue;
    }
    const size_t end = StringEnd(text, at);
    absl::string_view quoted = text.substr(at, end - at);
    at = end;
    const Descriptor* const object = open.empty() ? nullptr : open.back();
    if (!ColonFollows(text, end) || object == nullptr || quoted.size() < 2) {
      absl::StrAppend(&present, quoted);
      next = ColonFollows(text, end) ? nullptr : next;
      continue;
    }
    absl::string_view name = quoted.substr(1, quoted.size() - 2);
    if (const absl::string_view now = PresentFieldName(object->name(), name); !now.empty()) {
      name = now;
    }
    absl::StrAppend(&present, "\"", name, "\"");
    next = TypeOfField(*object, name);
  }
  return present;
}

}  // namespace lockstep
