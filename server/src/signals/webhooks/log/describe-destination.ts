import { fail } from '../../../base/errors.ts'
import type { Destination } from '../../webhook-ledger/log/find-destination.ts'

/** For the audit log: paths of receivers may hold secrets. */
export const describeDestination = ({ url }: Pick<Destination, 'url'>): string =>
  `the webhook endpoint at "${new URL(url).host}"`

export function refuseDisabled(destination: Destination): void {
  if (destination.disabled_at !== null) fail('endpoint_disabled')
}
