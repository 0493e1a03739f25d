import type { Reader } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { findMergedDevices, type MergedDevice } from './queries.ts'
import { faultOfOther } from './rules.ts'

export type Pair = { organizationId: string; keptId: string; otherId: string }

/** Two devices that can be merged. Fails with not_found, and with invalid for two that cannot be one. */
export async function getPair(
  reader: Reader,
  { organizationId, keptId, otherId }: Pair,
): Promise<{ kept: MergedDevice; other: MergedDevice }> {
  const found = await findMergedDevices(reader, organizationId, [keptId, otherId])
  const kept = orNotFound(found.find(({ id }) => id === keptId))
  const other = orNotFound(found.find(({ id }) => id === otherId))
  if (kept.deleted_at !== null) fail('invalid', { message: 'The device that should stay is being deleted.' })
  const fault = faultOfOther(kept, other)
  if (fault !== undefined) refuseOther(fault)
  return { kept, other }
}

export const refuseOther = (message: string): never => fail('invalid', { errors: [{ field: 'other_id', message }] })
