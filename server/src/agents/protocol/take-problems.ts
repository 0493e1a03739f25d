import { recordProblems } from '../../reporting/problems/record-problems.ts'
import { judgeProblem } from '../../reporting/problems/table-problem-rules.ts'
import { findInventoryQuery } from '../../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import type { DeviceState } from './device-registry.ts'

/** Takes in why queries of tables brought nothing, by the names under which they were asked; others are left out. */
export async function takeProblems(
  context: AgentContext,
  device: DeviceState,
  told: readonly { name: string; message: string }[],
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<void> {
  const { reportsAs } = device
  const problems = told.flatMap(({ name, message }) => {
    const query = reportsAs && findInventoryQuery(reportsAs, name)
    return query ? [{ tableName: query.table.name, ...judgeProblem(message) }] : []
  })
  if (problems.length === 0) return
  const place = { organizationId: device.organization.id, deviceId: device.deviceId }
  try {
    await context.inRecordingTurn(() => recordProblems(context.db, place, problems, context.clock()))
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    context.log.error({ ...place, err: error }, 'problems of tables not recorded')
  }
}
