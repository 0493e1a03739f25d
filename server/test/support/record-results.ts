import { type CheckRun, type Recording, recordTogether } from '../../src/checks/record-results.ts'
import type { Db } from '../../src/db/transact.ts'

/** Takes in what checks found on one device. */
export async function recordResults(
  db: Db,
  device: Omit<Recording, 'happening'>,
  happening: Recording['happening'],
): Promise<CheckRun[]> {
  const [accepted = []] = await recordTogether(db, device.organizationId, [{ ...device, happening }])
  return accepted
}
