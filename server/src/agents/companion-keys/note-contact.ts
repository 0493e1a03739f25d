import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { minuteMs } from '../../base/time.ts'
import { type EpochVerdict, judgeContact } from './epoch-rules.ts'
import { randomName } from './link-name.ts'
import type { CompanionKey } from './queries.ts'

type Contact = { agentVersion: string; port: number | null; epoch: string | null; isWoken: boolean }

/** An idle companion comes every five minutes: its contacts are not worth a write each. */
const idleNoteMs = 15 * minuteMs
const wokenNoteMs = minuteMs

/**
 * Notes a contact where it says anything new, and renews the epoch when its time has come. Returns the epoch that the
 * companion is to keep, or `spent`. Only one of several contacts with the same epoch renews it.
 */
export async function noteContact(
  tx: Tx,
  key: CompanionKey,
  contact: Contact,
  now: string,
): Promise<{ epoch: string } | 'spent'> {
  const verdict = judgeContact(key, contact.epoch, now)
  if (verdict === 'spent') return verdict
  const renewed = verdict === 'renew' ? renewal(key, contact, now) : undefined
  await tx
    .updateTable('companion_keys')
    .set({ agent_version: contact.agentVersion, port: contact.port, last_contact_at: now, ...renewed })
    .where(inOrganization('companion_keys', key.organization_id))
    .where('kid', '=', key.kid)
    .execute()
  return { epoch: renewed?.epoch ?? key.epoch }
}

/** Whether a contact has anything to write. */
export function isWorthNoting(key: CompanionKey, contact: Contact, now: string): boolean {
  const verdict: EpochVerdict = judgeContact(key, contact.epoch, now)
  const sinceMs = Date.parse(now) - Date.parse(key.last_contact_at)
  return (
    verdict !== 'keep' ||
    key.agent_version !== contact.agentVersion ||
    key.port !== contact.port ||
    sinceMs >= (contact.isWoken ? wokenNoteMs : idleNoteMs)
  )
}

function renewal(key: CompanionKey, { epoch }: Contact, now: string) {
  const previous = epoch === key.previous_epoch ? key.previous_epoch : key.epoch
  return { epoch: randomName(), previous_epoch: previous, epoch_at: now, is_epoch_used: false }
}
