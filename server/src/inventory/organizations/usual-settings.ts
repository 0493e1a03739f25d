import { type Retained, retention } from '@muster/contract/retention.ts'

/** What an organization may choose. */
export type OrganizationSettings = Readonly<
  Record<`${Retained}_days`, number> & {
    is_first_device_trusted: boolean
    /** Identifiers of checks that have to pass before a first device is registered at once. */
    registration_required_checks: string[]
    is_second_factor_required: boolean
    /** Whether a device that never had an owner is registered to the person whose account is logged in on it. */
    is_owner_by_account: boolean
  }
>

export const usualSettings: OrganizationSettings = {
  auth_logs_days: retention.auth_logs.usual,
  live_results_days: retention.live_results.usual,
  settled_signals_days: retention.settled_signals.usual,
  settled_deliveries_days: retention.settled_deliveries.usual,
  is_first_device_trusted: true,
  registration_required_checks: [],
  is_second_factor_required: false,
  is_owner_by_account: false,
}
