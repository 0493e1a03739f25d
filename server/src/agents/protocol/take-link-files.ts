import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import type { CheckRow } from '../../compliance/standing/rules.ts'
import { confirmLinks } from '../companion-keys/confirm-links.ts'
import { namesShown } from '../companion-keys/link-file-rules.ts'
import type { AgentContext } from './agent-context.ts'
import { confirmNode } from './confirm-node.ts'
import type { DeviceState } from './device-registry.ts'
import { nodeKeyPurpose } from './node-key.ts'

/** The rows of the files of companions, and when they were asked for. */
export type LinkAnswer = { rows: readonly CheckRow[]; askedAtMs: number }

/**
 * Links the companions whose files the osquery node of this device sees: only one on the same machine could write them. A
 * node that is not confirmed is in service once it has seen the file of the linked one.
 */
export async function takeLinkFiles(
  context: AgentContext,
  { deviceId, deviceType, isUnconfirmed, nodeKey, organization }: DeviceState,
  { rows, askedAtMs }: LinkAnswer,
): Promise<void> {
  const names = namesShown(deviceType, rows)
  const change = systemChange(organization.id, context.clock())
  if (isUnconfirmed) {
    const lookupHash = context.secrets.lookupHash(nodeKeyPurpose, nodeKey)
    if (names.size > 0) await transact(context.db, (tx) => confirmNode(tx, { deviceId, lookupHash, names }, change))
  } else await transact(context.db, (tx) => confirmLinks(tx, { deviceId, names, askedAtMs }, change))
}
