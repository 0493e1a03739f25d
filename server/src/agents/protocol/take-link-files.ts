import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { linkReported } from '../companion-keys/link-companion.ts'
import type { AgentContext } from './agent-context.ts'
import { liveRowsOf } from './answer-rules.ts'
import { fieldsOf } from './answers.ts'
import type { DeviceState } from './device-registry.ts'

/** Under which an osquery node is asked for the files of companions. It speaks for its own device only. */
export const linkQueryName = 'muster_companion_link'

const folders = [
  '/var/lib/muster-companion/link/',
  '/Library/Application Support/Muster/link/',
  'C:\\ProgramData\\Muster\\link\\',
]

export const linkSql = `select path from file where ${folders.map((folder) => `path like '${folder}%'`).join(' or ')}`

const maxFiles = 50

/** Links the companions whose files the osquery node of this device sees: only one on the same machine could write them. */
export async function takeLinkFiles(context: AgentContext, device: DeviceState, body: unknown): Promise<void> {
  const queries = fieldsOf(fieldsOf(body)?.['queries'])
  if (!queries || !Object.hasOwn(queries, linkQueryName)) return
  const names = new Set<string>()
  for (const { row } of Iterator.from(liveRowsOf(body, linkQueryName).rows).take(maxFiles)) {
    const name = row['path']?.split(/[/\\]/).at(-1)
    if (name) names.add(name)
  }
  if (names.size === 0) return
  const { deviceId, organization } = device
  const change = systemChange(organization.id, context.clock())
  await transact(context.db, (tx) => linkReported(tx, { deviceId, names }, change))
}
