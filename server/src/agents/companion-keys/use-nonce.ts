import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db } from '../../base/db/transact.ts'
import { hourMs } from '../../base/time.ts'
import { contestMs, isOfRival, nextEpoch } from './epoch-rules.ts'
import { linkNameAt, randomName } from './link-name.ts'
import type { CompanionKey } from './queries.ts'

export type CheckIn = {
  agentVersion: string
  port: number | null
  takenPorts: number[]
  epoch: string | null
  /** Where it came from. */
  network: string
}

/**
 * Uses up the nonce that a request of a key has carried: of several with the same one the first counts. Returns the key
 * with its next nonce, and with what a check-in has changed; undefined where the nonce is not the current one.
 */
export async function useNonce(
  db: Db,
  key: CompanionKey,
  checkIn: CheckIn | undefined,
  now: string,
): Promise<CompanionKey | undefined> {
  const change = { nonce: randomName(), ...(checkIn && noted(key, checkIn, now)) }
  const { numUpdatedRows } = await db
    .updateTable('companion_keys')
    .set(change)
    .where(inOrganization('companion_keys', key.organization_id))
    .where('kid', '=', key.kid)
    .where('nonce', '=', key.nonce)
    .executeTakeFirst()
  return numUpdatedRows === 0n ? undefined : { ...key, ...change }
}

function noted(key: CompanionKey, checkIn: CheckIn, now: string) {
  const { agentVersion, port, takenPorts, epoch, network } = checkIn
  if (isOfRival(key, epoch)) return notedOfRival(key, epoch, now)
  return {
    ...{ agent_version: agentVersion, port, taken_ports: takenPorts, network, last_contact_at: now },
    ...nextEpoch(key, epoch, now, randomName),
  }
}

/** A second companion keeps its epoch until it is confirmed. Its file is asked for during the first minutes of each hour. */
function notedOfRival(key: CompanionKey, presented: string | null, now: string) {
  const asked = { rival_since: now, rival_link_name: linkNameAt(now) }
  if (key.rival_epoch === null || key.rival_epoch !== presented) return { rival_epoch: randomName(), ...asked }
  const ageMs = Date.parse(now) - Date.parse(key.rival_since ?? now)
  if (ageMs >= hourMs) return asked
  return ageMs >= contestMs ? { rival_link_name: null } : {}
}
