#include "lib/doctor/answer.h"

#include <unistd.h>

#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;

// Returns the bytes that arrive at the other end of the pipe.
std::string Sent(const std::vector<std::string>& steps, const std::vector<std::string>& gpus) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  ProbeAnswer answer(ends[1]);
  for (const std::string& step : steps) {
    answer.Begin(step);
  }
  for (const std::string& gpu : gpus) {
    proto::MachineFacts facts;
    facts.mutable_cuda()->add_gpu()->set_name(gpu);
    answer.Send(facts);
  }
  close(ends[1]);
  std::string bytes(4096, '\0');
  const ssize_t n = read(ends[0], bytes.data(), bytes.size());
  close(ends[0]);
  bytes.resize(n < 0 ? 0 : static_cast<size_t>(n));
  return bytes;
}

TEST(ProbeAnswerTest, PiecesAddUpAndTheLastStepCounts) {
  EXPECT_THAT(ReadAnswer(Sent({"dlopen", "cuInit"}, {"A", "B"})),
              EqualsProto("step: 'cuInit' cuda { gpu { name: 'A' } gpu { name: 'B' } }"));
}

TEST(ProbeAnswerTest, ACutOffPieceLosesItselfOnly) {
  std::string bytes = Sent({"cuInit"}, {"NVIDIA H200"});
  bytes.pop_back();
  EXPECT_EQ(ReadAnswer(bytes).step(), "cuInit");
}

TEST(ProbeAnswerTest, APathOfAnyBytesArrives) {
  EXPECT_EQ(ReadAnswer(Sent({"reading caf\xe9"}, {})).step(), "reading caf\\xe9");
}

TEST(ProbeAnswerTest, NothingIsAnEmptyAnswer) { EXPECT_THAT(ReadAnswer(""), EqualsProto("")); }

TEST(ProbeAnswerTest, ADoctorThatIsGoneIsNoError) {
  ProbeAnswer answer(-1);
  answer.Begin("cuInit");
}

}  // namespace
}  // namespace lockstep
