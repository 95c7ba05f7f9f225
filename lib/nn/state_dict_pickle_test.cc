#include "lib/nn/state_dict_pickle.h"

#include <string>

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TensorEntry Entry(const std::string& name, const std::string& key) {
  TensorEntry entry;
  entry.name = name;
  entry.storage_type = "FloatStorage";
  entry.storage_key = key;
  entry.storage_elements = 6;
  entry.sizes = {2, 3};
  entry.strides = {3, 1};
  return entry;
}

// Adds the first and the last instruction of every pickle that torch.save writes.
std::string Pickle(const std::string& body) { return std::string("\x80\x02", 2) + body + "."; }

TEST(StateDictPickleTest, RoundTrips) {
  TensorEntry counter;
  counter.name = "bn1.num_batches_tracked";
  counter.storage_type = "LongStorage";
  counter.storage_key = "1";
  counter.storage_elements = 1;
  const auto parsed = ParseStateDictPickle(PickleStateDict({Entry("conv1.weight", "0"), counter}));
  ASSERT_THAT(parsed, IsOk());
  ASSERT_EQ(parsed->size(), 2);
  EXPECT_EQ((*parsed)[0].name, "conv1.weight");
  EXPECT_EQ((*parsed)[0].storage_type, "FloatStorage");
  EXPECT_EQ((*parsed)[0].storage_key, "0");
  EXPECT_THAT((*parsed)[0].sizes, ElementsAre(2, 3));
  EXPECT_THAT((*parsed)[0].strides, ElementsAre(3, 1));
  EXPECT_EQ((*parsed)[1].storage_type, "LongStorage");
  EXPECT_THAT((*parsed)[1].sizes, IsEmpty());
}

TEST(StateDictPickleTest, RoundTripsNothingAndHugeCounts) {
  EXPECT_THAT(*ParseStateDictPickle(PickleStateDict({})), IsEmpty());
  TensorEntry huge = Entry("x", "0");
  huge.storage_elements = int64_t{1} << 40;
  huge.offset = (int64_t{1} << 40) - 6;
  EXPECT_EQ(ParseStateDictPickle(PickleStateDict({huge}))->front().offset, (int64_t{1} << 40) - 6);
}

TEST(StateDictPickleTest, EveryPrefixIsAnErrorAndNeverACrash) {
  const std::string pickle = PickleStateDict({Entry("conv1.weight", "0")});
  for (size_t size = 0; size < pickle.size(); ++size) {
    EXPECT_THAT(ParseStateDictPickle(pickle.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("byte")))
        << size;
  }
}

TEST(StateDictPickleTest, EveryFlippedBitIsReadOrRefusedButNeverACrash) {
  const std::string pickle = PickleStateDict({Entry("conv1.weight", "0")});
  for (size_t bit = 0; bit < pickle.size() * 8; ++bit) {
    std::string flipped = pickle;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const absl::Status status = ParseStateDictPickle(flipped).status();
    EXPECT_THAT(status.code(),
                AnyOf(absl::StatusCode::kOk, absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition));
  }
}

TEST(StateDictPickleTest, RefusesATensorThatReachesOutOfItsStorage) {
  TensorEntry entry = Entry("x", "0");
  entry.offset = 1;  // 2x3 numbers from the second of six elements
  EXPECT_THAT(ParseStateDictPickle(PickleStateDict({entry})), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("6")));
  entry.offset = -1;
  EXPECT_THAT(ParseStateDictPickle(PickleStateDict({entry})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("storage")));
}

TEST(StateDictPickleTest, NeverRunsWhatAPickleNames) {
  // cposix\nsystem\n(X....echo hi tR. : a malicious checkpoint that runs a command.
  const std::string evil = Pickle(std::string("cposix\nsystem\n(X\x07\0\0\0echo hitR", 29));
  EXPECT_THAT(ParseStateDictPickle(evil),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a call of posix system")));
}

TEST(StateDictPickleTest, NestingAndCirclesAreHarmless) {
  // A million nested tuples. If each destroyed the next one inside it, the stack would overflow.
  EXPECT_THAT(ParseStateDictPickle(Pickle("N" + std::string(1000000, '\x85'))),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no dict")));
  // A dict that is its own value: }q\0 X 'a' h\0 s.
  EXPECT_THAT(ParseStateDictPickle(Pickle(std::string("}q\0X\x01\0\0\0ah\0s", 12))),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("'a'")));
}

TEST(StateDictPickleTest, WhatManyTensorsCouldShareIsBounded) {
  TensorEntry entry = Entry("x", "0");
  entry.sizes.assign(65, 1);
  entry.strides.assign(65, 1);
  EXPECT_THAT(ParseStateDictPickle(PickleStateDict({entry})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a tensor of 65 dimensions; expected at most 64")));
  EXPECT_THAT(ParseStateDictPickle(PickleStateDict({Entry(std::string(1001, 'n'), "0")})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a name of 1001 bytes")));
}

TEST(StateDictPickleTest, AnOpcodeThatStateDictsDoNotHaveIsRefusedByName) {
  EXPECT_THAT(ParseStateDictPickle(Pickle("ccollections\nOrderedDict\n)\x81")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("not the pickle of a state_dict: opcode NEWOBJ at byte 28")));
}

TEST(StateDictPickleTest, RefusesOtherProtocolsAndNestedDicts) {
  EXPECT_THAT(ParseStateDictPickle(std::string("\x80\x04.", 3)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("protocol 4")));
  // {'net': {}}: a checkpoint that holds the state_dict one level down.
  EXPECT_THAT(ParseStateDictPickle(Pickle(std::string("}X\x03\0\0\0net}s", 11))),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("'net'")));
  EXPECT_THAT(ParseStateDictPickle(Pickle("K\x05")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no dict")));
}

}  // namespace
}  // namespace lockstep
