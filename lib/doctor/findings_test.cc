#include "lib/doctor/findings.h"

#include <utility>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ShowBytesTest, ThreeDigits) {
  EXPECT_EQ(ShowBytes(0), "0 bytes");
  EXPECT_EQ(ShowBytes(999), "999 bytes");
  EXPECT_EQ(ShowBytes(1000), "1.00 kB");
  EXPECT_EQ(ShowBytes(67108864), "67.1 MB");
  EXPECT_EQ(ShowBytes(150e9), "150 GB");
  EXPECT_EQ(ShowBytes(999.6e9), "1.00 TB");
  EXPECT_EQ(ShowBytes(2e19), "20000 PB");
}

TEST(MajorAndMinorTest, ReadsTheFirstTwoNumbers) {
  EXPECT_EQ(MajorAndMinor("2.11.0+cu130"), std::pair(2, 11));
  EXPECT_EQ(MajorAndMinor("7.7"), std::pair(7, 7));
  EXPECT_EQ(MajorAndMinor(""), std::pair(0, 0));
  EXPECT_EQ(MajorAndMinor("no version"), std::pair(0, 0));
}

TEST(ShowCudaVersionTest, AsNvidiaWritesIt) {
  EXPECT_EQ(ShowCudaVersion(13000), "13.0");
  EXPECT_EQ(ShowCudaVersion(12080), "12.8");
}

TEST(FindBadEndTest, AnAnswerIsNoBadEnd) {
  proto::MachineFacts facts;
  proto::ProbeEnd& end = *facts.add_probe_end();
  end.set_probe("cuda");
  end.set_kind(proto::ProbeEnd::ANSWERED);
  EXPECT_EQ(FindBadEnd(facts, "cuda"), nullptr);
  end.set_kind(proto::ProbeEnd::CRASHED);
  end.set_signal(11);
  end.set_step("cuInit");
  ASSERT_NE(FindBadEnd(facts, "cuda"), nullptr);
  EXPECT_EQ(DescribeEnd(*FindBadEnd(facts, "cuda")), "crashed in cuInit (signal 11)");
  EXPECT_EQ(FindBadEnd(facts, "nvml"), nullptr);
}

TEST(NeedsGpuTest, OnlyWhenOneIsAskedFor) {
  DoctorRequest request;
  EXPECT_TRUE(NeedsGpu(request).empty());
  request.device = "cuda";
  EXPECT_EQ(NeedsGpu(request).size(), 2u);
}

}  // namespace
}  // namespace lockstep
