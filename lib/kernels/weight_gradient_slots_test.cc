// Model on the host of the slot protocol in weight_gradient.cu: for every order in which the groups of warps and the
// copies run, every group must finish and must find its own stage in the slot.
//
// A barrier distinguishes its phases only by their parity. If blocks compute one column of the filter, each stage is
// multiplied by one of three groups. When only that group released the slot, a late group could find the slot filled
// again, wait for the parity that had already passed, and thus wait forever (observed on an H200 under NVIDIA MPS with
// 98 multiprocessors).
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lib/kernels/weight_gradient_kernel.h"

namespace lockstep {
namespace {

constexpr uint32_t kGroups = 3;

// The PTX ISA's mbarrier without byte counts: phases 0, 1, ...
struct Barrier {
  uint32_t arrivals = 1;  // arrivals that end a phase
  uint32_t phase = 0, arrived = 0;

  void Arrive() {
    if (++arrived == arrivals) {
      arrived = 0;
      ++phase;
    }
  }
  bool IsOver(uint32_t parity) const { return phase % 2 != parity; }
};

class Block {
 public:
  // all_give_back: a slot is free when every group has seen it full; otherwise when the group that multiplies has
  // finished.
  Block(uint32_t slots, uint32_t stages, bool all_give_back)
      : stages_(stages), all_give_back_(all_give_back), slots_(slots), ahead_(slots - 2) {
    for (Slot& slot : slots_) {
      slot.empty.arrivals = all_give_back ? kGroups : 1;
    }
  }

  // Runs to the end, choosing each next step among the possible ones. Returns a description of the failure; empty if
  // there is none.
  std::string Run(std::mt19937& random) {
    while (true) {
      std::vector<uint32_t> able;  // groups, followed by copies that may arrive
      for (uint32_t g = 0; g < kGroups; ++g) {
        if (CanAdvance(g)) {
          able.push_back(g);
        }
      }
      for (uint32_t s = 0; s < slots_.size(); ++s) {
        if (slots_[s].is_landing) {
          able.push_back(kGroups + s);
        }
      }
      if (able.empty()) {
        return IsAtEnd() ? "" : "nobody can go on";
      }
      // Failures need a group that is delayed for a long time: usually chooses the first possible step.
      const uint32_t choice = random() % 8 != 0 ? able[0] : able[random() % able.size()];
      if (choice >= kGroups) {
        slots_[choice - kGroups].is_landing = false;
        slots_[choice - kGroups].full.Arrive();
      } else if (!Advance(choice)) {
        return "a stage was multiplied from another stage's slot";
      }
    }
  }

 private:
  struct Slot {
    Barrier full, empty;
    uint32_t holds = 0;  // stage in the slot
    bool is_landing = false;
  };
  struct Group {
    uint32_t stage = 0;
    bool has_copied = false;  // only for the first group: it has copied for this stage
  };

  uint32_t SlotOf(uint32_t stage) const { return stage % static_cast<uint32_t>(slots_.size()); }
  uint32_t ParityOf(uint32_t stage) const { return stage / static_cast<uint32_t>(slots_.size()) % 2; }
  bool IsAtEnd() const {
    for (const Group& group : groups_) {
      if (group.stage < stages_) {
        return false;
      }
    }
    return true;
  }

  // Returns whether the first group has a copy to make: before the loop the first `ahead_` stages, then one per stage.
  bool WantsToCopy(uint32_t g) const {
    return g == 0 && copied_ < stages_ && copied_ < ahead_ + (groups_[0].stage + 1) && !groups_[0].has_copied;
  }

  bool CanAdvance(uint32_t g) const {
    if (WantsToCopy(g)) {
      return slots_[SlotOf(copied_)].empty.IsOver(ParityOf(copied_) ^ 1);
    }
    const uint32_t stage = groups_[g].stage;
    return stage < stages_ && slots_[SlotOf(stage)].full.IsOver(ParityOf(stage));
  }

  bool Advance(uint32_t g) {
    Group& group = groups_[g];
    if (WantsToCopy(g)) {
      Slot& slot = slots_[SlotOf(copied_)];
      slot.holds = copied_++;
      slot.is_landing = true;
      group.has_copied = copied_ == ahead_ + group.stage + 1;
      return true;
    }
    Slot& slot = slots_[SlotOf(group.stage)];
    const bool is_mine = group.stage % kGroups == g;
    const bool is_right = !is_mine || slot.holds == group.stage;
    if (is_mine || all_give_back_) {
      slot.empty.Arrive();
    }
    ++group.stage;
    group.has_copied = false;
    return is_right;
  }

  const uint32_t stages_;
  const bool all_give_back_;
  std::vector<Slot> slots_;
  const uint32_t ahead_;  // stages that are copied before they are needed
  uint32_t copied_ = 0;   // stages copied so far
  std::array<Group, kGroups> groups_ = {};
};

constexpr int kOrders = 3000;
constexpr uint32_t kStages = 40;

int Failures(uint32_t slots, bool all_give_back) {
  int failures = 0;
  for (int seed = 0; seed < kOrders; ++seed) {
    std::mt19937 random(seed);
    failures += Block(slots, kStages, all_give_back).Run(random).empty() ? 0 : 1;
  }
  return failures;
}

TEST(WeightGradientSlotsTest, EveryOrderOfEventsComesToItsEnd) {
  for (const uint32_t slots : {weight_gradient::Geometry(32, 1).slots, weight_gradient::Geometry(16, 2).slots}) {
    EXPECT_EQ(Failures(slots, true), 0) << slots;
  }
}

TEST(WeightGradientSlotsTest, TheModelNoticesASlotThatOneGroupAloneGivesBack) {
  for (const uint32_t slots : {weight_gradient::Geometry(32, 1).slots, weight_gradient::Geometry(16, 2).slots}) {
    EXPECT_GT(Failures(slots, false), 0) << slots;
  }
}

}  // namespace
}  // namespace lockstep
