import { isClockOff } from '../../sign-in/oidc/request-rules.ts'
import { type Finding, ok, warning } from '../doctor/finding.ts'

const name = 'clock of the caller'

/** What is said of a caller whose clock is `aheadMs` ahead of ours by what it has signed, or behind where that is negative. */
export function judgeClock(aheadMs: number): Finding {
  const seconds = `${Math.abs(Math.round(aheadMs / 100) / 10)} s`
  if (!isClockOff(aheadMs)) {
    return ok(name, aheadMs > 0 ? `at least ${seconds} ahead of this server's` : "agrees with this server's")
  }
  return aheadMs > 0
    ? warning(name, `the caller's clock is at least ${seconds} ahead: set it by NTP. Requests may be 300 s ahead`)
    : warning(name, `the caller's clock is ${seconds} behind, or its requests take as long: set it by NTP`)
}
