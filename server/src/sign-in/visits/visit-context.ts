import type { RequestRefusal } from '@muster/contract/request-refusals.ts'
import { companionPorts } from '../../agents/companion-keys/companion-ports.ts'
import type { Clock } from '../../base/clock.ts'
import { findFirstOrganization } from '../../base/db/first-organization.ts'
import type { Db } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { findOwnAddress } from '../../inventory/organizations/addresses.ts'
import type { HeldKeys } from '../../keys/held-keys.ts'
import { findConnection, type SignInConnection } from '../connections/connection-queries.ts'
import { refusalNotes } from '../connections/note-refusal.ts'
import { type EgressSettings, upstreamEgress } from '../egress/upstream-egress.ts'
import { type FetchDocument, tenantKeys } from '../entra/tenant-keys.ts'
import { type OpenProvider, openProvider, providerSource, readClient } from '../oidc/open-provider.ts'
import { openUpstreams } from '../upstreams/open-upstreams.ts'
import { arrivalBudgets } from './arrival-budgets.ts'
import { callerClocks } from './caller-clocks.ts'
import { readInTurns } from './read-in-turns.ts'
import { refusedArrivals } from './refused-arrivals.ts'
import { rememberApplications } from './remember-applications.ts'

export type VisitParts = {
  db: Db
  secrets: Secrets
  clock: Clock
  /** The address of organizations without one of their own. */
  baseUrl: string
  /** That the server signs with. */
  signingKeys: HeldKeys
  /** Where pages look for companions, unless at the usual ports. */
  ports?: readonly number[]
  /** What says where upstreams may be. */
  egressSettings: EgressSettings
  warn: (facts: object, text: string) => void
  /** How the keys of Microsoft's clouds are read, unless as everything is that leaves. */
  fetchFromEntra?: FetchDocument | undefined
  /** What the pages say on top. */
  notice?: string | undefined
}

export type Place = { organizationId: string; baseUrl: string }
export type VisitContext = ReturnType<typeof visitContext>

/** A provider serves for this long before it is looked whether its keys or connections have changed. */
const freshMs = 2_000
const maxProviders = 100

/** What the sign-in pages share in one process. */
export function visitContext(parts: VisitParts) {
  const { clock, db, ports = companionPorts } = parts
  const providers = new Map<string, OpenProvider & { checkedAtMs: number }>()
  const places = new Map<string, Place & { checkedAtMs: number }>()

  /** The organization whose address a host is, as it was within two seconds. */
  async function placeOf(host: string): Promise<Place | undefined> {
    const known = places.get(host)
    if (known && performance.now() - known.checkedAtMs < freshMs) return known
    const found = await findPlace(host)
    // Hosts that nobody has are not remembered: anyone may send any number of them.
    if (found) places.set(host, { ...found, checkedAtMs: performance.now() })
    else places.delete(host)
    return found
  }

  async function findPlace(host: string): Promise<Place | undefined> {
    const own = await findOwnAddress(db, host)
    if (own) return own.isEnded ? undefined : { organizationId: own.organizationId, baseUrl: own.baseUrl }
    if (new URL(parts.baseUrl).host !== host) return undefined
    const organizationId = await findFirstOrganization(db)
    return organizationId === undefined ? undefined : { organizationId, baseUrl: parts.baseUrl }
  }

  const sourceOf = readInTurns((organizationId) => providerSource(parts, organizationId))

  /**
   * The provider of an organization, and the connection of the client that asks, as both are now: a change counts at the next
   * request. Undefined without a connection that asks it.
   */
  async function providerFor(place: Place, clientId: string) {
    const { organizationId } = place
    const known = providers.get(organizationId)
    const client = known?.clients.has(clientId) ? await readClient(parts, { organizationId, clientId }) : undefined
    if (known && client?.isKnownTo(known)) return { provider: known, connection: client.connection }
    const provider = await providerOf(place, true)
    return provider && { provider, connection: await findConnection(db, organizationId, clientId) }
  }

  /**
   * The provider of an organization, made anew when its keys or connections have changed: looked at within two seconds, or
   * now with `isNow`. Undefined without a connection that asks it.
   */
  async function providerOf(place: Place, isNow = false): Promise<OpenProvider | undefined> {
    const known = providers.get(place.organizationId)
    const nowMs = performance.now()
    if (known && !isNow && nowMs - known.checkedAtMs < freshMs) return known
    const source = await sourceOf(place.organizationId)
    if (!source) {
      providers.delete(place.organizationId)
      return undefined
    }
    const before = providers.get(place.organizationId) ?? known
    const current = before?.fingerprint === source.fingerprint ? before : openProvider(parts, place, source)
    providers.delete(place.organizationId)
    providers.set(place.organizationId, { ...current, checkedAtMs: nowMs })
    const [oldest] = providers.keys()
    if (providers.size > maxProviders && oldest !== undefined) providers.delete(oldest)
    return current
  }

  const refused = refusedArrivals((line) => parts.warn(line, 'Requests began no sign-in'))
  const clocks = callerClocks((line) => parts.warn(line, 'The clock of a caller differs from ours'))
  const budgets = arrivalBudgets(clock, (clientId) => refused.note(clientId, 'too_many'))

  /** The connection of a client, as far as this process knows it. */
  const knownClient = ({ organizationId }: Place, clientId: string) =>
    providers.get(organizationId)?.clients.get(clientId)

  const note = refusalNotes(db)
  /** Keeps why a request of a connection was refused, for whoever sets the application up. What asks goes on without it. */
  async function noteRefusal(connection: SignInConnection, reason: RequestRefusal): Promise<void> {
    try {
      await note(connection, reason, clock())
    } catch (error) {
      parts.warn({ err: error, connectionId: connection.id }, 'The last refusal of a connection could not be kept')
    }
  }

  const upstreams = openUpstreams({ ...parts, egress: upstreamEgress(parts.egressSettings) })

  const findTenantKey = tenantKeys(clock, parts.fetchFromEntra)

  const applicationOf = rememberApplications(db)

  return {
    ...parts,
    ports,
    upstreams,
    now: () => clock(),
    placeOf,
    providerFor,
    providerOf,
    applicationOf,
    ...budgets,
    knownClient,
    noteRefusal,
    findTenantKey,
    refused,
    callerClocks: clocks,
  }
}
