// Mutations of protobuf messages for libFuzzer: field by field, so that mutated inputs parse and fuzzing time is spent
// on the contents of fields. Follows the idea of https://github.com/google/libprotobuf-mutator, which Debian does not
// package.
//
// A target whose input is a serialized message (bytes that do not parse are rejected) contains, once:
//
//   FUZZ_PROTO_MUTATOR(lockstep::proto::SweepFile)
#ifndef LOCKSTEP_LIB_TESTING_PROTO_MUTATOR_H_
#define LOCKSTEP_LIB_TESTING_PROTO_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "google/protobuf/message.h"

namespace lockstep::testing {

// One source of random mutations. Not thread-safe.
class ProtoMutator {
 public:
  // Function like LLVMFuzzerMutate: changes `size` bytes at `data`, a buffer of `max_size` bytes, and returns the new
  // size.
  using MutateBytes = std::function<size_t(uint8_t* data, size_t size, size_t max_size)>;

  ProtoMutator(uint32_t seed, MutateBytes mutate_bytes) : random_(seed), mutate_bytes_(std::move(mutate_bytes)) {}

  // Makes one change to a field of the message, or of a message nested in it at any depth:
  // - sets a value, possibly a special one: 0, the type's limits, NaN, neighbours of the old value; strings stay UTF-8
  // - clears a field, or adds an empty message
  // - adds, copies, removes, swaps or clears elements of a repeated field
  void Mutate(google::protobuf::Message& message);

  // Copies a message found in `other` into a field of its type in `message`; a repeated field gets one more element, or
  // one element is replaced.
  void CrossOver(const google::protobuf::Message& other, google::protobuf::Message& message);

 private:
  bool Chance(uint32_t one_in) { return random_() % one_in == 0; }
  size_t Below(size_t bound) { return random_() % bound; }
  void MutateField(google::protobuf::Message& message, const google::protobuf::FieldDescriptor* field);
  void MutateRepeated(google::protobuf::Message& message, const google::protobuf::FieldDescriptor* field);
  void SetValue(google::protobuf::Message& message, const google::protobuf::FieldDescriptor* field, int index);
  std::string MutateText(std::string text, bool utf8);
  template <typename Number>
  Number MutateNumber(Number old);

  std::mt19937 random_;
  const MutateBytes mutate_bytes_;
};

// Implement libFuzzer's hooks: the input is a serialized message of the type of `prototype`, the output its mutation.
size_t MutateSerialized(const google::protobuf::Message& prototype, uint8_t* data, size_t size, size_t max_size,
                        uint32_t seed);
size_t CrossOverSerialized(const google::protobuf::Message& prototype, const uint8_t* data1, size_t size1,
                           const uint8_t* data2, size_t size2, uint8_t* out, size_t max_size, uint32_t seed);

}  // namespace lockstep::testing

#define FUZZ_PROTO_MUTATOR(Type)                                                                                       \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {          \
    return lockstep::testing::MutateSerialized(Type::default_instance(), data, size, max_size, seed);                  \
  }                                                                                                                    \
  extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,  \
                                              uint8_t* out, size_t max_size, unsigned int seed) {                      \
    return lockstep::testing::CrossOverSerialized(Type::default_instance(), data1, size1, data2, size2, out, max_size, \
                                                  seed);                                                               \
  }

#endif  // LOCKSTEP_LIB_TESTING_PROTO_MUTATOR_H_
