#include "lib/peer/gather_bytes.h"

#include "gtest/gtest.h"
#include "lib/base/host_identity.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;

// Returns a gather function of two ranks, of which this rank is the first. The other rank sends `other`, or the bytes
// of this rank if `other` is empty.
GatherBytes WithOther(const std::string& other) {
  return [other](absl::string_view own) -> absl::StatusOr<std::vector<std::string>> {
    return std::vector<std::string>{std::string(own), other.empty() ? std::string(own) : other};
  };
}

TEST(GatherBytesTest, RanksOfOneHostAreOnOneHost) { EXPECT_THAT(CheckOneHost(WithOther("")), IsOk()); }

TEST(GatherBytesTest, ADifferentHostIsNamed) {
  HostIdentity other = ThisHost();
  other.virtual_host = "1";
  EXPECT_THAT(CheckOneHost(WithOther(HostKey(other))),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "ranks 0 and 1 of 2 are on different virtual hosts (LOCKSTEP_HOST_OF_RANK)"));
  other.boot_id = "another";
  EXPECT_THAT(CheckOneHost(WithOther(HostKey(other))),
              StatusIs(absl::StatusCode::kFailedPrecondition, "ranks 0 and 1 of 2 are on different hosts"));
  EXPECT_THAT(CheckOneHost(WithOther("nonsense")),
              StatusIs(absl::StatusCode::kFailedPrecondition, "ranks 0 and 1 of 2 are on different hosts"));
}

// Without free descriptors a rank cannot read its boot id. That is no other host.
TEST(GatherBytesTest, AnUnknownBootIdIsNotCompared) {
  HostIdentity other = ThisHost();
  other.boot_id = "";
  EXPECT_THAT(CheckOneHost(WithOther(HostKey(other))), IsOk());
  other.virtual_host = "1";
  EXPECT_THAT(CheckOneHost(WithOther(HostKey(other))),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "ranks 0 and 1 of 2 are on different virtual hosts (LOCKSTEP_HOST_OF_RANK)"));
}

TEST(GatherBytesTest, AFailedGatherIsReturned) {
  const GatherBytes failing = [](absl::string_view) { return absl::UnavailableError("gone"); };
  EXPECT_THAT(CheckOneHost(failing), StatusIs(absl::StatusCode::kUnavailable, "gone"));
}

}  // namespace
}  // namespace lockstep
