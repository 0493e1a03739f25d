import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { memoryShare } from '../../../base/bodies/memory-share.ts'
import { readBodies } from '../../../base/bodies/read-bodies.ts'
import { readRate } from '../../../base/bodies/read-rate.ts'
import type { Account, Fault, Outcome } from '../../../base/bodies/reading.ts'
import { networkOf } from '../../../base/network-of.ts'
import type { AgentContext } from '../agent-context.ts'
import { type Answer, failure, tooLarge } from '../answers.ts'
import type { DeviceState } from '../device-registry.ts'
import { authenticate, stateOf } from '../load-device.ts'
import { rememberFor } from '../remember-for.ts'
import { type BodyLimits, bodyLimits, type ShareName } from './body-limits.ts'
import { receiveUnknown, type Sender } from './receive-unknown.ts'

const answers: Record<Fault, Answer> = {
  busy: failure(503, 'The service is busy'),
  too_slow: failure(408, 'The body arrived too slowly'),
  too_large: tooLarge,
  broken_off: failure(400, 'The connection was interrupted'),
}
const gaugeMs = 500
/** Agents poll every minute or every few. */
const vouching = { lifeMs: 900_000, maxSize: 20_000 }

/** A request, and the address of who sent it. */
export type AgentRequest = { ip: string; raw: IncomingMessage }

export type Received = Outcome<Answer> & { sender?: Sender | undefined }
type OnReceived = (received: Received) => void

export type BodyReceiver = ReturnType<typeof bodyReceiver>

/**
 * Reads the bodies of agents' requests. Who sends one decides how much memory and time it gets: a device whose node key
 * is in the header, a device whose node key is found in the body, an enrollment, or a stranger.
 */
export function bodyReceiver(context: AgentContext, limits: BodyLimits = bodyLimits) {
  const shares = {
    header: memoryShare(limits.shares.header),
    body: memoryShare(limits.shares.body),
    stranger: memoryShare(limits.shares.stranger),
    enrollment: memoryShare(limits.shares.enrollment),
  }
  const strangerRate = readRate(limits.strangerRate)
  const readings = readBodies<Answer>()
  const speakers = new WeakMap<Socket, DeviceState>()
  const networks = rememberFor<true>(vouching, context.clock)
  const gauging = setInterval(() => {
    for (const [name, share] of Object.entries(shares))
      context.metrics.bodyBytes.set({ share: name }, share.heldBytes())
  }, gaugeMs).unref()

  function account(share: ShareName, party: string): Account {
    if (share === 'header' || share === 'body') return { share: shares[share], party, pace: limits.knownPace }
    return { share: shares[share], party, pace: limits.strangerPace, rate: strangerRate }
  }

  const vouchedAccountOf = (network: string): Account => ({
    ...{ share: shares.body, party: network, pace: limits.vouchedPace, rate: strangerRate },
  })

  /** What becomes of a body, as it is answered and counted. */
  const told = (onReceived: OnReceived) => (outcome: Outcome<Answer | Fault>) => {
    if (outcome.kind !== 'refused') return onReceived(outcome)
    const why = typeof outcome.why === 'string' ? answers[outcome.why] : outcome.why
    context.metrics.refusedBodies.inc({ status: String(why.status) })
    onReceived({ kind: 'refused', why })
  }

  /** A device that has spoken on this very connection, or else one that has from its network. */
  function vouchedAccount({ ip, raw: { socket } }: AgentRequest): Account | undefined {
    // A proxy sends the requests of many on one connection.
    const speaker = ip === socket.remoteAddress ? speakers.get(socket) : undefined
    if (speaker && context.registry.find(speaker.nodeKey) === speaker) return account('body', partyOf(speaker))
    const network = networkOf(ip)
    return networks.get(network) ? vouchedAccountOf(network) : undefined
  }

  return {
    /** The body of a device that is known before it comes; one that is longer than `maxBytes` is cut. */
    fromDevice({ raw: message }: AgentRequest, device: Sender, maxBytes: number, onReceived: OnReceived): void {
      const reading = readings.begin(message, account('header', partyOf(device)), told(onReceived))
      message.on('data', (chunk: Buffer) => {
        reading.take(chunk)
        if (reading.receivedBytes() > maxBytes) reading.cut(maxBytes)
      })
      message.on('end', reading.finish)
    },

    enrollment({ raw: message, ip }: AgentRequest, maxBytes: number, onReceived: OnReceived): void {
      const from = { account: account('enrollment', networkOf(ip)), maxBytes }
      readings.whole(message, from, told(onReceived))
    },

    /** The body of a companion whose key has signed the request: what strangers hold is not taken from it. */
    fromCompanion({ raw: message }: AgentRequest, kid: string, maxBytes: number, onReceived: OnReceived): void {
      readings.whole(message, { account: account('header', `companion ${kid}`), maxBytes }, told(onReceived))
    },

    /** A body of someone who is not known yet, with its sender where it contains a valid node key. */
    fromUnknown(request: AgentRequest, maxBytes: number, onReceived: OnReceived): void {
      let sender: Sender | undefined
      const from = account('stranger', networkOf(request.ip))
      receiveUnknown(request.raw, {
        reading: readings.begin(
          request.raw,
          from,
          told((outcome) => onReceived({ ...outcome, sender })),
        ),
        ...{ maxBytes, limits },
        authenticate: (nodeKey) => authenticate(context, nodeKey, request.ip),
        accountOf: (device) => account('body', partyOf(device)),
        vouchedAccount: () => vouchedAccount(request),
        onSender(found) {
          sender = found
        },
      })
    },

    /** Remembers that a device has shown its node key in the body of a request. */
    vouch({ ip, raw: { socket } }: AgentRequest, device: DeviceState): void {
      if (speakers.get(socket) !== device) speakers.set(socket, device)
      networks.note(networkOf(ip), true)
    },

    stop(): void {
      clearInterval(gauging)
      readings.stop()
      strangerRate.stop()
    },
  }
}

function partyOf(sender: Sender): string {
  const { organization, deviceId, isUnconfirmed } = stateOf(sender)
  // What may be another machine takes nothing from the device.
  return `${isUnconfirmed ? 'unconfirmed node of ' : ''}device ${organization.id}/${deviceId}`
}
