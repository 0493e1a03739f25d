import { newCause } from '../../base/change-context.ts'
import type { CheckRun } from '../../compliance/results/record-results.ts'
import type { AgentContext } from './agent-context.ts'
import { type DeviceState, markStale } from './device-registry.ts'

/** Records what checks found on a device; its schedule must be loaded again after that. Resolves after the commit. */
export async function recordRuns(context: AgentContext, device: DeviceState, runs: readonly CheckRun[]): Promise<void> {
  const { organization, deviceId } = device
  const change = { ...newCause(), initiator: 'policy', now: context.clock() } as const
  const accepted = await context.recorder.record({ organizationId: organization.id, deviceId, runs, context: change })
  context.runTimes.note(organization.id, deviceId, accepted)
  context.metrics.answers.inc({ outcome: 'recorded' }, accepted.length)
  context.metrics.answers.inc({ outcome: 'refused' }, runs.length - accepted.length)
  noteAnswers(device, accepted)
  if (accepted.length > 0) markStale(device)
}

function noteAnswers({ unanswered }: DeviceState, accepted: readonly CheckRun[]): void {
  for (const { checkId, ranAt } of accepted) {
    const issuedAtMs = unanswered?.get(checkId)
    if (issuedAtMs !== undefined && issuedAtMs <= Date.parse(ranAt)) unanswered?.delete(checkId)
  }
}
