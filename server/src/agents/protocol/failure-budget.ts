import type { Clock } from '../../base/clock.ts'
import { networkOf } from '../../base/network-of.ts'
import { spendingBudget } from '../../base/spending-budget.ts'

export type FailureBudget = ReturnType<typeof failureBudget>

/** Counts what failed by network: `burst` at a time, more at `perSecond`. */
export function failureBudget(limits: { burst: number; perSecond: number }, clock: Clock) {
  const budget = spendingBudget(limits, clock)
  return {
    isSpent: (address: string): boolean => budget.isSpent(networkOf(address)),
    spend: (address: string): void => budget.spend(networkOf(address)),
  }
}
