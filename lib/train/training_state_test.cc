#include "lib/train/training_state.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

TrainingStateFile StateFile() {
  TrainingStateFile file;
  file.path = TempPath("sweep.rec.batch8.state");
  file.header.set_schema("lockstep.proto.TrainingStateFile");
  file.header.set_schema_version(1);
  file.header.set_cache_key("key");
  file.header.mutable_build()->set_build_id("build");
  return file;
}

TrainingStates State(int epochs) {
  TrainingState state;
  for (int i = 0; i < epochs; ++i) {
    state.point.add_epoch()->set_mean_loss(i);
  }
  state.arrays = {{"w", std::string("\0\x80\xFF", 3)}, {"empty", ""}};
  return {state};
}

// Returns the states of two ranks; the second has an array of its own.
TrainingStates StateOfTwo() {
  TrainingStates states = State(2);
  states[0].measured = "\xFF zero";
  states.emplace_back().measured = "one";
  states[1].point.add_epoch()->set_mean_loss(7);
  states[1].arrays = {{"w", "other"}};
  return states;
}

void ExpectSame(const TrainingStates& found, const TrainingStates& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t rank = 0; rank < found.size(); ++rank) {
    EXPECT_EQ(found[rank].point.SerializeAsString(), expected[rank].point.SerializeAsString());
    EXPECT_EQ(found[rank].measured, expected[rank].measured);
    EXPECT_EQ(found[rank].arrays, expected[rank].arrays);
  }
}

class TrainingStateTest : public ::testing::Test {
 protected:
  TrainingStateTest() { RemoveTrainingState(StateFile().path); }
};

TEST_F(TrainingStateTest, ReturnsWhatWasWrittenLast) {
  ASSERT_THAT(WriteTrainingState(StateFile(), State(1)), IsOk());
  ASSERT_THAT(WriteTrainingState(StateFile(), State(2)), IsOk());
  EXPECT_FALSE(FileExists(StateFile().path + ".part"));
  const auto state = ReadTrainingState(StateFile());
  ASSERT_THAT(state, IsOk());
  ASSERT_TRUE(state->has_value());
  ExpectSame(**state, State(2));
}

TEST_F(TrainingStateTest, EachRanksStateIsItsOwn) {
  ASSERT_THAT(WriteTrainingState(StateFile(), StateOfTwo()), IsOk());
  const auto states = ReadTrainingState(StateFile());
  ASSERT_THAT(states, IsOk());
  ExpectSame(**states, StateOfTwo());
  const auto unpacked = UnpackStates(PackStates(StateOfTwo()));
  ASSERT_THAT(unpacked, IsOk());
  ExpectSame(*unpacked, StateOfTwo());
  EXPECT_THAT(UnpackStates("\xFF"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("do not parse")));
}

TEST_F(TrainingStateTest, OneOfNoRankIsAnError) {
  ASSERT_THAT(WriteTrainingState(StateFile(), {}), IsOk());
  EXPECT_THAT(ReadTrainingState(StateFile()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no rank's progress")));
}

TEST_F(TrainingStateTest, NoneIsNoError) {
  const auto none = ReadTrainingState(StateFile());
  ASSERT_THAT(none, IsOk());
  EXPECT_FALSE(none->has_value());
  EXPECT_FALSE(ReadTrainingState(TrainingStateFile())->has_value());
}

TEST_F(TrainingStateTest, AnotherRunsIsNotUsed) {
  ASSERT_THAT(WriteTrainingState(StateFile(), State(1)), IsOk());
  TrainingStateFile other = StateFile();
  other.header.set_cache_key("other");
  EXPECT_FALSE(ReadTrainingState(other)->has_value());
  TrainingStateFile afresh = StateFile();
  afresh.afresh = true;
  EXPECT_FALSE(ReadTrainingState(afresh)->has_value());
  EXPECT_TRUE(ReadTrainingState(StateFile())->has_value());
}

TEST_F(TrainingStateTest, ADamagedOneIsAnError) {
  ASSERT_THAT(WriteTrainingState(StateFile(), State(1)), IsOk());
  std::string bytes = ReadFile(StateFile().path);
  bytes[bytes.size() / 2] ^= 1;
  WriteFile(StateFile().path, bytes);
  EXPECT_THAT(ReadTrainingState(StateFile()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(absl::StrCat("remove ", StateFile().path))));
}

TEST_F(TrainingStateTest, IsRemovedWithItsPart) {
  ASSERT_THAT(WriteTrainingState(StateFile(), State(1)), IsOk());
  WriteFile(StateFile().path + ".part", ReadFile(StateFile().path).substr(0, 200));
  RemoveTrainingState(StateFile().path);
  EXPECT_FALSE(FileExists(StateFile().path));
  EXPECT_FALSE(FileExists(StateFile().path + ".part"));
}

TEST_F(TrainingStateTest, APartThatIsNoRecordStays) {
  WriteFile(StateFile().path + ".part", "a user's file");
  RemoveTrainingState(StateFile().path);
  EXPECT_TRUE(FileExists(StateFile().path + ".part"));
}

}  // namespace
}  // namespace lockstep
