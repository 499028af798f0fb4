// SPDX-License-Identifier: MIT
// The memory that a session may use for a capture.
#include <gtest/gtest.h>

#include <memory_resource>

#include "godot-codec/core/memory_budget.h"

namespace godot_codec::test {
namespace {

class SessionBudget : public testing::Test {
 protected:
  MemoryBudget budget_;
  MemoryBudget::Share attacker_;
  MemoryBudget::Share player_;
  std::pmr::monotonic_buffer_resource heap_;
  MemoryBudget::ChargedMemory memory_{budget_, &heap_};
};

TEST_F(SessionBudget, PacketGrantsMemoryOnceForItsWireBytes) {
  {
    const MemoryBudget::ChargeScope charge(budget_, attacker_, {1, 0}, 1000);
    EXPECT_EQ(attacker_.granted_bytes, 32'000U);
  }
  {
    const MemoryBudget::ChargeScope charge(budget_, attacker_, {1, 1}, 1000);
    EXPECT_EQ(attacker_.granted_bytes, 32'000U);
  }
  const MemoryBudget::ChargeScope charge(budget_, attacker_, {2, 0}, 10);
  EXPECT_EQ(attacker_.granted_bytes, 32'000U + 32 * 64);
}

TEST_F(SessionBudget, IsExhaustedByTheFirstByteAboveTheGrant) {
  const MemoryBudget::ChargeScope charge(budget_, attacker_, {3, 2}, 100);
  void *first = memory_.allocate(MemoryBudget::base_grant + 3200);
  EXPECT_TRUE(budget_.has_capacity());
  EXPECT_EQ(budget_.exhausted_at(), packet_position_zero);
  void *second = memory_.allocate(1);
  EXPECT_FALSE(budget_.has_capacity());
  EXPECT_EQ(budget_.exhausted_at(), (PacketPosition{3, 2}));
  EXPECT_EQ(budget_.used(), MemoryBudget::base_grant + 3201);
  memory_.deallocate(second, 1);
  EXPECT_TRUE(budget_.has_capacity());
  memory_.deallocate(first, MemoryBudget::base_grant + 3200);
  EXPECT_EQ(budget_.used(), 0U);
  EXPECT_EQ(attacker_.used_bytes, 0U);
}

TEST_F(SessionBudget, ExhaustionByOneSenderAffectsNoOtherSender) {
  {
    const MemoryBudget::ChargeScope charge(budget_, attacker_, {1, 0}, 100);
    EXPECT_NE(memory_.allocate(2 * MemoryBudget::base_grant), nullptr);
    EXPECT_FALSE(budget_.has_capacity());
  }
  const MemoryBudget::ChargeScope charge(budget_, player_, {2, 0}, 100);
  EXPECT_NE(memory_.allocate(3200), nullptr);
  EXPECT_TRUE(budget_.has_capacity());
  EXPECT_NE(memory_.allocate(1), nullptr);
  EXPECT_FALSE(budget_.has_capacity());
  EXPECT_EQ(budget_.exhausted_at(), (PacketPosition{1, 0}));
}

}  // namespace
}  // namespace godot_codec::test
