import type { Db } from '../../src/base/db/transact.ts'
import { type CheckRun, type Recording, recordTogether } from '../../src/compliance/results/record-results.ts'

/** Takes in what checks found on one device. */
export async function recordResults(
  db: Db,
  device: Omit<Recording, 'context'>,
  context: Recording['context'],
): Promise<CheckRun[]> {
  const [accepted = []] = await recordTogether(db, device.organizationId, [{ ...device, context }])
  return accepted
}
