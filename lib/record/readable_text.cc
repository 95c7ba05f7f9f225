#include "lib/record/readable_text.h"

#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "lib/base/readable_line.h"

namespace lockstep {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

// Returns the fields that are set and can hold text: strings and messages.
std::vector<const FieldDescriptor*> TextFields(const Message& message) {
  std::vector<const FieldDescriptor*> fields, text_fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->type() == FieldDescriptor::TYPE_STRING || field->type() == FieldDescriptor::TYPE_MESSAGE) {
      text_fields.push_back(field);
    }
  }
  return text_fields;
}

int Count(const Message& message, const FieldDescriptor* field) {
  return field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
}

}  // namespace

bool HasReadableText(const Message& record) {
  const Reflection& reflection = *record.GetReflection();
  for (const FieldDescriptor* field : TextFields(record)) {
    for (int i = 0; i < Count(record, field); ++i) {
      std::string scratch;
      const bool readable =
          field->type() == FieldDescriptor::TYPE_MESSAGE
              ? HasReadableText(field->is_repeated() ? reflection.GetRepeatedMessage(record, field, i)
                                                     : reflection.GetMessage(record, field))
              : IsUtf8(field->is_repeated() ? reflection.GetRepeatedStringReference(record, field, i, &scratch)
                                            : reflection.GetStringReference(record, field, &scratch));
      if (!readable) {
        return false;
      }
    }
  }
  return true;
}

void MakeTextReadable(Message& record) {
  const Reflection& reflection = *record.GetReflection();
  for (const FieldDescriptor* field : TextFields(record)) {
    for (int i = 0; i < Count(record, field); ++i) {
      if (field->type() == FieldDescriptor::TYPE_MESSAGE) {
        MakeTextReadable(field->is_repeated() ? *reflection.MutableRepeatedMessage(&record, field, i)
                                              : *reflection.MutableMessage(&record, field));
        continue;
      }
      const std::string text =
          field->is_repeated() ? reflection.GetRepeatedString(record, field, i) : reflection.GetString(record, field);
      if (!IsUtf8(text)) {
        field->is_repeated() ? reflection.SetRepeatedString(&record, field, i, ToUtf8(text))
                             : reflection.SetString(&record, field, ToUtf8(text));
      }
    }
  }
}

}  // namespace lockstep
