#include "lib/record/old_field_names.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;

std::string Present(const std::string& json) { return WithPresentFieldNames(json, *proto::SweepFile::descriptor()); }

TEST(OldFieldNamesTest, AnOldNameIsReplacedInItsMessageOnly) {
  EXPECT_EQ(Present(R"({"record": [{"spec": {"training": {"lr_milestone": [2, 4]}}}, {"lr_milestone": 1}]})"),
            R"({"record": [{"spec": {"training": {"lr_milestones": [2, 4]}}}, {"lr_milestone": 1}]})");
}

TEST(OldFieldNamesTest, AValueIsNoName) {
  const std::string json = R"({"record": [{"spec": {"training": {"model": "lr_milestone", "seed": "1"}}}]})";
  EXPECT_EQ(Present(json), json);
}

TEST(OldFieldNamesTest, EveryElementOfAnArrayIsConverted) {
  EXPECT_EQ(Present(R"({"record": [{"point": {"epoch": [{}, {"epoch": 1}]}},
                                   {"spec": {"model": {}, "training" : {"seed": "\"}", "lr_milestone" : []}}},
                                   {"spec": {"training": {"lr_milestone": [7]}}}]})"),
            R"({"record": [{"point": {"epoch": [{}, {"epoch": 1}]}},
                                   {"spec": {"model": {}, "training" : {"seed": "\"}", "lr_milestones" : []}}},
                                   {"spec": {"training": {"lr_milestones": [7]}}}]})");
}

TEST(OldFieldNamesTest, AnythingElseStays) {
  for (const char* text : {"", "{", "\"lr_milestone\"", "]}\"lr_milestone\": 3", "{\"lr_milestone\": [",
                           "{\"lr_milestone", R"({"lr_milestone": 1, "record": {"lr_milestone": "\)"}) {
    EXPECT_EQ(Present(text), text);
  }
}

TEST(OldFieldNamesTest, TheMessageIsTheOneThatWasWritten) {
  proto::SweepFile file;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                  Present(R"({"record": [{"spec": {"training": {"seed": "3", "lr_milestone": [2, 4]}}}]})"), &file)
                  .ok());
  EXPECT_THAT(file, EqualsProto("record { spec { training { seed: 3 lr_milestones: [2, 4] } } }"));
}

// A field that exists under its old name, or under no new one, would be lost.
void ExpectRenamed(const google::protobuf::Descriptor& type, const std::vector<std::string>& old_names) {
  for (const std::string& old_name : old_names) {
    EXPECT_EQ(type.FindFieldByName(old_name), nullptr) << old_name;
    EXPECT_NE(type.FindFieldByName(std::string(PresentFieldName(type.name(), old_name))), nullptr) << old_name;
  }
}

TEST(OldFieldNamesTest, PresentNamesAreFields) {
  ExpectRenamed(*proto::Acceptance::descriptor(), {"least_degrees_of_freedom"});
  ExpectRenamed(*proto::CommModelSpec::descriptor(), {"model"});
  ExpectRenamed(*proto::Header::descriptor(), {"surroundings_sha256"});
  ExpectRenamed(*proto::ModelSpec::descriptor(), {"least_gain"});
  ExpectRenamed(*proto::TrainingSpec::descriptor(), {"fixed_order", "fused_norms", "lr_milestone", "no_own_kernels"});
  EXPECT_EQ(PresentFieldName("SweepSpec", "lr_milestone"), "");
}

}  // namespace
}  // namespace lockstep
