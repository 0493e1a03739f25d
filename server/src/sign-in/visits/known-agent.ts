import { timingSafeEqual } from 'node:crypto'
import type { Reader } from '../../base/db/transact.ts'
import { type SecretCookie, secretCookie } from '../../base/secrets/secret-cookie.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { dayMs, plusMs } from '../../base/time.ts'

/** A device whose agent has answered this browser before, and where. */
export type KnownAgent = { deviceId: string; port: number }

const lifeMs = 90 * dayMs
/** The agent runs when it was in contact within this time. */
const contactMs = 90_000

const cookieOf = (baseUrl: string): SecretCookie =>
  secretCookie(baseUrl, { name: 'muster-agent', seconds: lifeMs / 1000, form: /^\d{1,18}\.\d{1,5}\.[\w-]{22}$/ })

const macOf = (secrets: Secrets, organizationId: string, { deviceId, port }: KnownAgent): string =>
  secrets.sign('known agent', `${organizationId}/${deviceId}/${port}`).toString('base64url')

type Place = { organizationId: string; baseUrl: string }

/** The agent that this browser has reached before, as its cookie says. It opens nothing: it saves a question, and is counted by itself. */
export function readKnownAgent(secrets: Secrets, place: Place, header: string | undefined): KnownAgent | undefined {
  const [deviceId = '', port = '', mac = ''] = cookieOf(place.baseUrl).read(header)?.split('.') ?? []
  if (mac === '') return undefined
  const agent = { deviceId, port: Number(port) }
  const wanted = Buffer.from(macOf(secrets, place.organizationId, agent))
  const given = Buffer.from(mac)
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? agent : undefined
}

/** The header that makes a browser remember the agent. */
export const rememberAgent = (secrets: Secrets, { organizationId, baseUrl }: Place, agent: KnownAgent): string =>
  cookieOf(baseUrl).give(`${agent.deviceId}.${agent.port}.${macOf(secrets, organizationId, agent)}`)

/** Where the companion of a device listens, and whether it was in contact just now. */
export async function findAgentPort(
  reader: Reader,
  { organizationId, deviceId }: { organizationId: string; deviceId: string },
  now: string,
): Promise<{ port: number; isReachable: boolean } | undefined> {
  const row = await reader
    .selectFrom('companion_keys as key')
    .leftJoin('device_presence as presence', (join) =>
      join
        .onRef('presence.organization_id', '=', 'key.organization_id')
        .onRef('presence.device_id', '=', 'key.device_id'),
    )
    .select(['key.port', 'key.last_contact_at', 'presence.last_seen_at'])
    .where('key.organization_id', '=', organizationId)
    .where('key.device_id', '=', deviceId)
    .where('key.status', '=', 'linked')
    .executeTakeFirst()
  if (!row || row.port === null) return undefined
  const since = plusMs(now, -contactMs)
  return { port: row.port, isReachable: row.last_contact_at > since || (row.last_seen_at ?? '') > since }
}
