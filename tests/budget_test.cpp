// SPDX-License-Identifier: MIT
// The memory that a session may use for a capture.
#include "godot-codec/core/budget.h"

#include <gtest/gtest.h>

#include <memory_resource>

namespace godot_codec::test {
namespace {

class SessionBudget : public testing::Test {
 protected:
  Budget budget_;
  Budget::Share attacker_;
  Budget::Share player_;
  std::pmr::monotonic_buffer_resource heap_;
  Budget::Memory memory_{budget_, &heap_};
};

TEST_F(SessionBudget, PacketIsCreditedOnceForItsWireBytes) {
  {
    const Budget::ChargeScope charge(budget_, attacker_, {1, 0}, 1000);
    EXPECT_EQ(attacker_.granted, 32'000U);
  }
  {
    const Budget::ChargeScope charge(budget_, attacker_, {1, 1}, 1000);
    EXPECT_EQ(attacker_.granted, 32'000U);
  }
  const Budget::ChargeScope charge(budget_, attacker_, {2, 0}, 10);
  EXPECT_EQ(attacker_.granted, 32'000U + 32 * 64);
}

TEST_F(SessionBudget, IsExhaustedByTheFirstByteAboveTheGrant) {
  const Budget::ChargeScope charge(budget_, attacker_, {3, 2}, 100);
  void *first = memory_.allocate(Budget::base + 3200);
  EXPECT_TRUE(budget_.has_capacity());
  EXPECT_EQ(budget_.exhausted_at(), packet_position_zero);
  void *second = memory_.allocate(1);
  EXPECT_FALSE(budget_.has_capacity());
  EXPECT_EQ(budget_.exhausted_at(), (PacketPosition{3, 2}));
  EXPECT_EQ(budget_.kept(), Budget::base + 3201);
  memory_.deallocate(second, 1);
  EXPECT_TRUE(budget_.has_capacity());
  memory_.deallocate(first, Budget::base + 3200);
  EXPECT_EQ(budget_.kept(), 0U);
  EXPECT_EQ(attacker_.kept, 0U);
}

TEST_F(SessionBudget, SenderWithinItsCreditIsNotAffected) {
  {
    const Budget::ChargeScope charge(budget_, attacker_, {1, 0}, 100);
    EXPECT_NE(memory_.allocate(2 * Budget::base), nullptr);
    EXPECT_FALSE(budget_.has_capacity());
  }
  const Budget::ChargeScope charge(budget_, player_, {2, 0}, 100);
  EXPECT_NE(memory_.allocate(3200), nullptr);
  EXPECT_TRUE(budget_.has_capacity());
  EXPECT_NE(memory_.allocate(1), nullptr);
  EXPECT_FALSE(budget_.has_capacity());
  EXPECT_EQ(budget_.exhausted_at(), (PacketPosition{1, 0}));
}

}  // namespace
}  // namespace godot_codec::test
