#include "lib/base/owned_descriptor.h"

#include <fcntl.h>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

int OpenNull() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(OwnedDescriptorTest, IsClosedAtTheEndOfTheScope) {
  const int fd = OpenNull();
  {
    const OwnedDescriptor owned(fd);
    EXPECT_EQ(owned.get(), fd);
    EXPECT_TRUE(IsOpen(fd));
  }
  EXPECT_FALSE(IsOpen(fd));
}

TEST(OwnedDescriptorTest, MovingTakesTheDescriptor) {
  const int fd = OpenNull();
  OwnedDescriptor first(fd);
  const OwnedDescriptor second(std::move(first));
  EXPECT_EQ(first.get(), -1);
  EXPECT_EQ(second.get(), fd);
  EXPECT_TRUE(IsOpen(fd));
}

TEST(OwnedDescriptorTest, AssignmentSwaps) {
  const int fd = OpenNull();
  {
    OwnedDescriptor first, second(fd);
    first = std::move(second);
    EXPECT_EQ(first.get(), fd);
    EXPECT_EQ(second.get(), -1);
  }
  EXPECT_FALSE(IsOpen(fd));
}

}  // namespace
}  // namespace lockstep
