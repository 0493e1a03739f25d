import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Connection } from '../db/connect.ts'
import { type Outbound, openOutbound } from '../outbound/outbound.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { followSignals, type SignalFollower } from './follow-signals.ts'
import type { Issuer } from './issue-tokens.ts'
import { ensureSigningKey } from './signing-keys.ts'
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
  allowPrivateReceivers: boolean
  /** Of tests only. */
  outbound?: Outbound
  pollHoldMs?: number
}

const pollHoldMs = 30_000

export async function startStreams(settings: Settings): Promise<Streams> {
  const { connection, secrets, clock, log, baseUrl, allowPrivateReceivers } = settings
  const { db } = connection
  await ensureSigningKey(db, secrets, clock())
  const outbound = settings.outbound ?? openOutbound({ allowPrivate: allowPrivateReceivers })
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
