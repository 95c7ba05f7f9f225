// Mutations of protobuf messages for libFuzzer: field by field, so that what comes out parses and fuzzing time goes into
// what the fields say. After the idea of https://github.com/google/libprotobuf-mutator, which Debian does not package.
//
// A target whose input is a serialized message (any bytes that do not parse are refused) writes, once:
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
  // Changes `size` bytes at `data`, which has room for `max_size`, and returns the new size: LLVMFuzzerMutate.
  using MutateBytes = std::function<size_t(uint8_t* data, size_t size, size_t max_size)>;

  ProtoMutator(uint32_t seed, MutateBytes mutate_bytes) : random_(seed), mutate_bytes_(std::move(mutate_bytes)) {}

  // Changes one field of the message or of one at any depth: a value set (to one of interest: 0, the type's ends, NaN,
  // neighbours of the old value; strings stay UTF-8), a field cleared, a repeated element added, removed, doubled or
  // moved, or a message replaced by another of its type.
  void Mutate(google::protobuf::Message& message);

  // Puts a message found in `other` in the place of, or beside, one of its type in `message`.
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

// What libFuzzer's hooks want: a serialized message in, its mutation out. `prototype` says which message.
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
