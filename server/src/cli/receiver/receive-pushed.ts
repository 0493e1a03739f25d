import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../base/clock.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { openLanCertificate } from '../lan/lan-certificate.ts'
import { listenForSets } from './listen-for-sets.ts'
import { withOwnStream } from './own-stream.ts'
import type { PushPlan } from './plan-receiver.ts'
import type { Receiving } from './run-receiver.ts'
import type { OwnerCalls, ReceivedStream, Transmitter } from './transmitter.ts'
import { setVerifier } from './verify-set.ts'

type Identity = { cert: string; key: string /** Of the authority that was made for it. */; caFile: string | undefined }
type Session = { plan: PushPlan; receiving: Receiving; url: string; identity: Identity | undefined }

/** What a first event may take. */
const firstEventMs = 10_000

/** Takes the events that are pushed, of a stream that is there or of one that is made for it, until the signal. */
export async function receivePushed(plan: PushPlan, receiving: Receiving): Promise<void> {
  const identity = await openIdentity(plan, receiving.dataDir)
  const scheme = identity ? 'https' : 'http'
  const url = plan.url ?? `${scheme}://127.0.0.1:${plan.port}/events`
  const session = { plan, receiving, url, identity }
  if (identity?.caFile !== undefined && plan.url === undefined) await tellHowToReach(identity.caFile, receiving)
  const transmitter = await receiving.findTransmitter()
  if (plan.apiKey === undefined)
    return listen(session, transmitter, plan.audience ?? url, plan.authorization, async () => {})
  const calls = transmitter.asOwner(plan.apiKey)
  const authorization = plan.authorization ?? `Bearer ${randomBytes(24).toString('base64url')}`
  const delivery = { endpointUrl: url, authorization }
  await withOwnStream({ calls, delivery, say: receiving.say }, (stream) =>
    listen(session, transmitter, stream.audience, authorization, (isHeard) =>
      verifyConnection(calls, stream, receiving, isHeard),
    ),
  )
}

/** A certificate of its own is made once, so that a server has to be told of it once. */
async function openIdentity({ tls }: PushPlan, dataDir: string): Promise<Identity | undefined> {
  if (tls === 'none') return undefined
  const names = { hosts: ['localhost'], addresses: ['127.0.0.1', '::1'] }
  const purpose = { prefix: 'receiver', title: 'Muster receiver' }
  const files =
    tls === 'self-signed'
      ? await openLanCertificate(dataDir, names, systemClock(), purpose)
      : { ...tls, caFile: undefined }
  const [cert, key] = [await readFile(files.certFile, 'utf8'), await readFile(files.keyFile, 'utf8')]
  return { cert, key, caFile: files.caFile }
}

async function tellHowToReach(caFile: string, { say }: Receiving): Promise<void> {
  await say('Muster pushes to this machine, with a certificate that was made here, only when it is started with:')
  await say(`  NODE_EXTRA_CA_CERTS=${caFile} MUSTER_ALLOW_PRIVATE_RECEIVERS=true npm start`)
}

/** Listens until the signal, or until nothing can be shown anymore. `begin` is told whether anything has come. */
async function listen(
  { plan, receiving, url, identity }: Session,
  { issuer, jwksUri }: Transmitter,
  audience: string | string[],
  authorization: string | undefined,
  begin: (isHeard: () => boolean) => Promise<void>,
): Promise<void> {
  const { io, say, seen } = receiving
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {})
  let isHeard = false
  let faultUntilMs: number | undefined
  const listener = await listenForSets({
    port: plan.port,
    path: new URL(url).pathname,
    tls: identity && { cert: identity.cert, key: identity.key },
    authorization,
    // From the first event on.
    fault() {
      faultUntilMs ??= performance.now() + (plan.faultMs ?? Number.POSITIVE_INFINITY)
      return performance.now() < faultUntilMs ? plan.fault : undefined
    },
    verify: setVerifier({ issuer, audience, jwksUri }),
    seen,
    async show(arrival) {
      isHeard = true
      await receiving.show(arrival).catch((error: unknown) => {
        broken.reject(error)
        throw error
      })
    },
  }).catch((error: Error) => {
    throw new CommandError(exitCodes.failure, `Cannot listen: ${error.message}. Choose another --port`)
  })
  try {
    await say(`Listening at ${url}; Ctrl-C ends it`)
    await begin(() => isHeard)
    if (!io.signal.aborted) await Promise.race([once(io.signal, 'abort'), broken.promise])
  } finally {
    await listener.close()
  }
}

/** Has the transmitter send an event, and tells why when none comes. */
async function verifyConnection(
  calls: OwnerCalls,
  { streamId }: ReceivedStream,
  { io: { signal }, say }: Receiving,
  isHeard: () => boolean,
): Promise<void> {
  await calls.askVerification(streamId, randomUUID())
  const untilMs = performance.now() + firstEventMs
  while (!signal.aborted && !isHeard() && performance.now() < untilMs) {
    await pause(100, undefined, { signal }).catch(() => {})
  }
  if (signal.aborted || isHeard()) return
  const { trouble } = await calls.readStream(streamId)
  await say(`No event has come yet${trouble === undefined ? '' : `: ${trouble}`}`)
}
