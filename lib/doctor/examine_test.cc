#include "lib/doctor/examine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kHealthy[] = R"(
  programs { compiler_here: '12.2.0' bazel_path: '/usr/bin/bazel' gnuplot_version: '5.4.4' }
  libtorch { library_folder: '/t' version: '2.11.0+cu130' cxx11_abi: 1 has_cuda: true cuda_version: 13000 }
  cuda { library { error: 'libcuda.so.1: cannot open shared object file' } }
  host { memory_bytes: 64e9 shared_memory_bytes: 9e9 shared_memory_free_bytes: 9e9 shared_memory_writable: true
         kernel_shmmax_bytes: 1.8e19 }
  data { kind: RECORDS path: 'dataset.rec' }
  disk { folder: '.' free_bytes: 1e12 }
)";

using Kind = proto::DoctorUse;

proto::Examination Examined(const std::string& more, const UseKinds& uses, const std::string& device = "auto") {
  proto::MachineFacts facts, changes;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kHealthy, &facts));
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(more, &changes)) << more;
  facts.MergeFrom(changes);
  DoctorRequest request;
  request.uses = uses;
  request.device = device;
  return Examine(facts, request, {"gcc", "2.11.0+cu130", {}, "", 0, 13000, "torch==2.11.0", "2.11", "2.15"},
                 Distribution::kBuilt);
}

TEST(ExamineTest, AHealthyMachineWithoutAGpu) {
  const proto::Examination examination = Examined("", {Kind::TRAIN, Kind::SCALE, Kind::REPORT});
  EXPECT_THAT(CheckAskedFor(examination), IsOk());
  ASSERT_EQ(examination.use_size(), 3);
  EXPECT_EQ(examination.use(0).device(), "cpu");
  EXPECT_EQ(examination.use(2).device(), "");
}

TEST(ExamineTest, OnlyWhatWasAskedForFails) {
  const std::string broken = "data { kind: BAD }";
  EXPECT_THAT(CheckAskedFor(Examined(broken, {Kind::TRAIN})),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("will not work here: train (data)")));
  EXPECT_THAT(CheckAskedFor(Examined(broken, {Kind::REPORT})), IsOk());
  EXPECT_THAT(CheckAskedFor(Examined(broken, {})), IsOk());
  EXPECT_THAT(Examined(broken, {}).use(1).because(), ElementsAre("data"));
  EXPECT_THAT(Examined(broken, {}).use(2).because(), IsEmpty());
}

TEST(ExamineTest, AGpuThatIsAskedForMustWork) {
  EXPECT_THAT(CheckAskedFor(Examined("", {Kind::TRAIN}, "cuda")),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("train (driver)")));
}

TEST(ExamineTest, AGpuThatWorksIsTaken) {
  const std::string gpu = "cuda { library { path: 'l' } init_code: 0 cuda_version: 13000 gpu { name: 'NVIDIA H200' } }";
  EXPECT_EQ(Examined(gpu, {}).use(0).device(), "cuda");
  EXPECT_EQ(Examined(gpu, {}, "cpu").use(0).device(), "cpu");
  const std::string old = "cuda { library { path: 'l' } init_code: 0 cuda_version: 12020 gpu { name: 'NVIDIA H200' } }";
  EXPECT_EQ(Examined(old, {}).use(0).device(), "cpu");
}

// A use is not promised if a fact could not be determined.
TEST(ExamineTest, AProbeThatHangsStandsInTheWay) {
  EXPECT_FALSE(Examined("probe_end { probe: 'disk' kind: HUNG }", {}).use(2).works());
}

}  // namespace
}  // namespace lockstep
