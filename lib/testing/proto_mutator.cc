#include "lib/testing/proto_mutator.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "google/protobuf/descriptor.h"

// libFuzzer's function; absent in a normal build, where only the test of this file mutates anything.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace lockstep::testing {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

constexpr size_t kTextGrowth = 64;  // bytes by which one mutation may make a text longer

bool IsMessage(const FieldDescriptor* field) { return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE; }

// Collects the message and all messages nested in it.
void Collect(Message& message, std::vector<Message*>& all) {
  all.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!IsMessage(field)) {
      continue;
    }
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      Collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                   : *reflection.MutableMessage(&message, field),
              all);
    }
  }
}

// Returns every field, at any depth, that can hold a message of `type`.
std::vector<std::pair<Message*, const FieldDescriptor*>> Holders(Message& message, const Descriptor* type) {
  std::vector<Message*> all;
  Collect(message, all);
  std::vector<std::pair<Message*, const FieldDescriptor*>> holders;
  for (Message* holder : all) {
    for (int i = 0; i < holder->GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* field = holder->GetDescriptor()->field(i);
      if (IsMessage(field) && field->message_type() == type) {
        holders.emplace_back(holder, field);
      }
    }
  }
  return holders;
}

// Clears the top bit of every byte. A mutated text is possibly no longer valid UTF-8; ASCII always is.
void MakeAscii(std::string& text) {
  for (char& c : text) {
    c = static_cast<char>(c & 0x7F);
  }
}

}  // namespace

template <typename Number>
Number ProtoMutator::MutateNumber(Number old) {
  using Limits = std::numeric_limits<Number>;
  const Number small = static_cast<Number>(Below(300));
  if constexpr (std::is_floating_point_v<Number>) {
    const Number values[] = {0,
                             -Number{0},
                             1,
                             -1,
                             Limits::max(),
                             Limits::lowest(),
                             Limits::min(),
                             Limits::denorm_min(),
                             old * 2,
                             old / 2,
                             -old,
                             old + 1,
                             small,
                             Limits::infinity(),
                             Limits::quiet_NaN(),
                             std::ldexp(Number{1}, static_cast<int>(Below(200)) - 100)};
    return values[Below(std::size(values))];
  } else {
    using Unsigned = std::make_unsigned_t<Number>;
    const Unsigned bits = static_cast<Unsigned>(old);
    const Number values[] = {0,
                             1,
                             Limits::max(),
                             Limits::min(),
                             static_cast<Number>(bits + 1),
                             static_cast<Number>(bits - 1),
                             static_cast<Number>(bits * 2),
                             static_cast<Number>(bits / 2),
                             small,
                             static_cast<Number>(Unsigned{1} << Below(sizeof(Number) * 8)),
                             static_cast<Number>((uint64_t{random_()} << 32) | random_())};
    return values[Below(std::size(values))];
  }
}

std::string ProtoMutator::MutateText(std::string text, bool utf8) {
  if (Chance(16)) {
    return text + "\xC3\xA9<|&\n";  // a letter of two bytes, and characters that are special in markup
  }
  const size_t size = text.size();
  text.resize(size + kTextGrowth);
  text.resize(mutate_bytes_(reinterpret_cast<uint8_t*>(text.data()), size, text.size()));
  if (utf8) {
    MakeAscii(text);
  }
  return text;
}

// Sets a field that is not a message. `index`: the element of a repeated field, otherwise -1.
void ProtoMutator::SetValue(Message& message, const FieldDescriptor* field, int index) {
  const Reflection& reflection = *message.GetReflection();
  const bool repeated = index >= 0;
  switch (field->cpp_type()) {
#define LOCKSTEP_NUMBER(CPPTYPE, Name)                                                                         \
  case FieldDescriptor::CPPTYPE:                                                                               \
    repeated ? reflection.SetRepeated##Name(&message, field, index,                                            \
                                            MutateNumber(reflection.GetRepeated##Name(message, field, index))) \
             : reflection.Set##Name(&message, field, MutateNumber(reflection.Get##Name(message, field)));      \
    break;
    LOCKSTEP_NUMBER(CPPTYPE_INT32, Int32)
    LOCKSTEP_NUMBER(CPPTYPE_INT64, Int64)
    LOCKSTEP_NUMBER(CPPTYPE_UINT32, UInt32)
    LOCKSTEP_NUMBER(CPPTYPE_UINT64, UInt64)
    LOCKSTEP_NUMBER(CPPTYPE_FLOAT, Float)
    LOCKSTEP_NUMBER(CPPTYPE_DOUBLE, Double)
#undef LOCKSTEP_NUMBER
    case FieldDescriptor::CPPTYPE_BOOL:
      repeated ? reflection.SetRepeatedBool(&message, field, index, Chance(2))
               : reflection.SetBool(&message, field, Chance(2));
      break;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* type = field->enum_type();
      const int known = type->value(static_cast<int>(Below(type->value_count())))->number();
      const int value = Chance(8) ? MutateNumber(known) : known;  // enums of proto3 are open: any number is valid
      repeated ? reflection.SetRepeatedEnumValue(&message, field, index, value)
               : reflection.SetEnumValue(&message, field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const bool utf8 = field->type() == FieldDescriptor::TYPE_STRING;
      repeated ? reflection.SetRepeatedString(&message, field, index,
                                              MutateText(reflection.GetRepeatedString(message, field, index), utf8))
               : reflection.SetString(&message, field, MutateText(reflection.GetString(message, field), utf8));
      break;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;  // the fields of the message are mutated instead
  }
}

namespace {

// Appends 0, false, or an empty string or message.
void AddZero(Message& message, const FieldDescriptor* field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.AddInt32(&message, field, 0);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.AddInt64(&message, field, 0);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.AddUInt32(&message, field, 0);
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.AddUInt64(&message, field, 0);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.AddFloat(&message, field, 0);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.AddDouble(&message, field, 0);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.AddBool(&message, field, false);
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.AddEnumValue(&message, field, 0);
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.AddString(&message, field, "");
    case FieldDescriptor::CPPTYPE_MESSAGE:
      reflection.AddMessage(&message, field);
  }
}

}  // namespace

void ProtoMutator::MutateRepeated(Message& message, const FieldDescriptor* field) {
  const Reflection& reflection = *message.GetReflection();
  const int count = reflection.FieldSize(message, field);
  const int index = count == 0 ? 0 : static_cast<int>(Below(count));
  switch (count == 0 ? 0 : Below(6)) {
    case 0:
    case 1:
      AddZero(message, field);
      if (!IsMessage(field)) {
        SetValue(message, field, count);
      } else if (count > 0 && !Chance(4)) {  // a copy is a more useful input than an empty message
        const std::unique_ptr<Message> copy(reflection.GetRepeatedMessage(message, field, index).New());
        copy->CopyFrom(reflection.GetRepeatedMessage(message, field, index));
        reflection.MutableRepeatedMessage(&message, field, count)->CopyFrom(*copy);
      }
      break;
    case 2:
      reflection.SwapElements(&message, field, index, count - 1);
      reflection.RemoveLast(&message, field);
      break;
    case 3:
      reflection.SwapElements(&message, field, index, static_cast<int>(Below(count)));
      break;
    default:
      if (!IsMessage(field)) {
        SetValue(message, field, index);
      } else {
        reflection.MutableRepeatedMessage(&message, field, index)->Clear();
      }
  }
}

void ProtoMutator::MutateField(Message& message, const FieldDescriptor* field) {
  const Reflection& reflection = *message.GetReflection();
  if (field->is_repeated()) {
    MutateRepeated(message, field);
  } else if (!IsMessage(field)) {
    Chance(8) ? reflection.ClearField(&message, field) : SetValue(message, field, -1);
  } else if (reflection.HasField(message, field) && Chance(2)) {
    reflection.ClearField(&message, field);
  } else {
    reflection.MutableMessage(&message, field);
  }
}

void ProtoMutator::Mutate(Message& message) {
  std::vector<Message*> all;
  Collect(message, all);
  Message& chosen = *all[Below(all.size())];
  const int fields = chosen.GetDescriptor()->field_count();
  if (fields > 0) {
    MutateField(chosen, chosen.GetDescriptor()->field(static_cast<int>(Below(fields))));
  }
}

void ProtoMutator::CrossOver(const Message& other, Message& message) {
  std::unique_ptr<Message> source(other.New());
  source->CopyFrom(other);
  std::vector<Message*> all;
  Collect(*source, all);
  const Message& taken = *all[Below(all.size())];
  const auto holders = Holders(message, taken.GetDescriptor());
  if (holders.empty()) {
    return;  // only the top-level message has no field for it
  }
  const auto& [holder, field] = holders[Below(holders.size())];
  const Reflection& reflection = *holder->GetReflection();
  if (!field->is_repeated()) {
    reflection.MutableMessage(holder, field)->CopyFrom(taken);
    return;
  }
  const int count = reflection.FieldSize(*holder, field);
  Message* place = count == 0 || Chance(2)
                       ? reflection.AddMessage(holder, field)
                       : reflection.MutableRepeatedMessage(holder, field, static_cast<int>(Below(count)));
  place->CopyFrom(taken);
}

namespace {

// Serializes the message to `out`. Returns its size, or 0 if it does not fit.
size_t Serialize(const Message& message, uint8_t* out, size_t max_size) {
  const size_t size = message.ByteSizeLong();
  if (size > max_size || !message.SerializeToArray(out, static_cast<int>(size))) {
    return 0;
  }
  return size;
}

std::unique_ptr<Message> Parse(const Message& prototype, const uint8_t* data, size_t size) {
  std::unique_ptr<Message> message(prototype.New());
  if (!message->ParseFromArray(data, static_cast<int>(size))) {
    message->Clear();
  }
  return message;
}

}  // namespace

size_t MutateSerialized(const Message& prototype, uint8_t* data, size_t size, size_t max_size, uint32_t seed) {
  ProtoMutator mutator(seed, &LLVMFuzzerMutate);
  const std::unique_ptr<Message> message = Parse(prototype, data, size);
  for (uint32_t i = 0; i <= seed % 4; ++i) {  // number of changes: 1 to 4, each in a quarter of the cases
    mutator.Mutate(*message);
  }
  const size_t mutated = Serialize(*message, data, max_size);
  return mutated == 0 ? size : mutated;
}

size_t CrossOverSerialized(const Message& prototype, const uint8_t* data1, size_t size1, const uint8_t* data2,
                           size_t size2, uint8_t* out, size_t max_size, uint32_t seed) {
  ProtoMutator mutator(seed, &LLVMFuzzerMutate);
  const std::unique_ptr<Message> message = Parse(prototype, data1, size1);
  mutator.CrossOver(*Parse(prototype, data2, size2), *message);
  return Serialize(*message, out, max_size);
}

}  // namespace lockstep::testing
