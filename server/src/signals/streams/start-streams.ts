import type { Logger } from 'pino'
import type { Clock } from '../../base/clock.ts'
import type { Connection } from '../../base/db/connect.ts'
import { findFirstOrganization } from '../../base/db/first-organization.ts'
import { postgresHost } from '../../base/db/postgres-pool.ts'
import { type Outbound, openOutbound } from '../../base/outbound/outbound.ts'
import { ownAddresses, ownHosts } from '../../base/outbound/own-addresses.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { followSignals, type SignalFollower } from './follow-signals.ts'
import type { Issuer } from './issue-tokens.ts'
import { noteEveryTokenSettings } from './token-settings.ts'
import { tokenSigner } from './token-signer.ts'

/** What the endpoints and the deliverer of streams work with, once for a process. */
export type StreamParts = {
  connection: Connection
  secrets: Secrets
  clock: Clock
  log: Logger
  issuer: Issuer
  outbound: Outbound
  signals: SignalFollower
  /** How long a poll may wait for something new. */
  pollHoldMs: number
}

export type Streams = { parts: StreamParts; stop(): Promise<void> }

type Settings = {
  connection: Connection
  secrets: Secrets
  clock: Clock
  log: Logger
  baseUrl: string
  /** Undefined with the embedded database. */
  databaseUrl: string | undefined
  allowPrivateReceivers: boolean
  egressNat64Prefixes: readonly string[]
  egressSharedAddresses: readonly string[]
  /** Of tests only. */
  outbound?: Outbound
  pollHoldMs?: number
}

const pollHoldMs = 30_000

export async function startStreams(settings: Settings): Promise<Streams> {
  const { connection, secrets, clock, log, baseUrl } = settings
  const { db } = connection
  // The others get theirs with their first stream.
  const first = await findFirstOrganization(db)
  if (first !== undefined) await ensureSigningKey(db, secrets, { organizationId: first, purpose: 'signals' }, clock())
  await noteEveryTokenSettings(db, baseUrl)
  const outbound = settings.outbound ?? openReceiverOutbound(settings)
  const signals = await followSignals(connection)
  const issuer = { db, signer: tokenSigner(db, secrets), baseUrl, clock }
  return {
    parts: {
      connection,
      secrets,
      clock,
      log,
      issuer,
      outbound,
      signals,
      pollHoldMs: settings.pollHoldMs ?? pollHoldMs,
    },
    async stop() {
      await signals.stop()
      await outbound.close()
    },
  }
}

/** The way out to receivers, which leads neither inward nor back to Muster itself. */
function openReceiverOutbound(settings: Settings): Outbound {
  const {
    log,
    baseUrl,
    databaseUrl,
    egressNat64Prefixes: nat64Prefixes,
    egressSharedAddresses: sharedRanges,
  } = settings
  const databaseHost = databaseUrl === undefined ? undefined : postgresHost(databaseUrl)
  return openOutbound({
    allowPrivate: settings.allowPrivateReceivers,
    nat64Prefixes,
    listOwnAddresses: ownAddresses({ hosts: ownHosts(baseUrl, databaseHost), sharedRanges }),
    log,
  })
}
