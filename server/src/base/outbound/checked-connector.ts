import type { LookupAddress } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import type { buildConnector } from 'undici'
import type { OwnAddresses } from './own-addresses.ts'
import { type AddressRules, isInRanges, isPublicAddress } from './public-address.ts'
import type { ReceiverRules } from './receiver-url.ts'
import { nameServerResolve, type Resolve, systemResolve } from './resolve-name.ts'

/** How long the parts of making a connection took, in milliseconds. */
export type DialTimings = { dnsMs: number; connectMs: number; tlsMs: number }

type OnDial = (timings: DialTimings | undefined, socket?: TLSSocket) => void

export type ConnectorSettings = ReceiverRules & {
  /** Unless told otherwise the name servers are asked; where private addresses are allowed, the system is. */
  resolve?: Resolve
  /** Addresses and CIDR ranges of the operator's network that may be dialed besides public ones. */
  innerRanges?: readonly string[]
  /** Muster's own addresses, asked for at each connection; no receiver is there. */
  listOwnAddresses?: OwnAddresses
  /** Certificates of authorities beside those that Node knows, in PEM. */
  extraAuthorities?: readonly string[]
  /** For connection, handshake and everything before. */
  timeoutMs: number
  /** Of tests only: makes the TCP connection. */
  connect?: (options: TcpNetConnectOpts) => Socket
}

/** The address may not be dialled. Says nothing of what it is, which a caller must not learn. */
class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED'
  constructor() {
    super('The address of the host may not be dialed')
  }
}

/** No name server gave an address, whatever the reason. */
class NameUnresolvedError extends Error {
  readonly code = 'NAME_UNRESOLVED'
  constructor(options?: ErrorOptions) {
    super('The host name was not found', options)
  }
}

/** What all connections have in common, made at the first: each of its own would hold every authority once more. */
export function sharedSecureContext({ extraAuthorities }: Pick<ConnectorSettings, 'extraAuthorities'>) {
  let made: SecureContext | undefined
  return (): SecureContext => {
    made ??= createSecureContext({
      minVersion: 'TLSv1.2',
      ...(extraAuthorities && { ca: [...getCACertificates('default'), ...extraAuthorities] }),
    })
    return made
  }
}

/**
 * Connects by TLS to addresses that were judged just now, and to no others: the name is resolved here, one inward
 * address refuses the whole answer, and the socket is handed only what was judged, so that an answer which changes
 * in between changes nothing. Before the first byte the address at the other end is judged once more. `onDial` hears of
 * every attempt: how long it took and what came of it, or nothing when it failed.
 */
export function checkedConnector(settings: ConnectorSettings & { secureContext: () => SecureContext }, onDial: OnDial) {
  const { timeoutMs } = settings
  return (options: buildConnector.Options, callback: buildConnector.Callback): void => {
    const startedAt = performance.now()
    const host = options.hostname.replace(/^\[|\]$/g, '')
    let isOver = false
    const finish = (error: Error | null, socket: TLSSocket | null): void => {
      if (isOver) {
        socket?.destroy()
        return
      }
      isOver = true
      clearTimeout(timer)
      if (!socket) {
        dialed?.destroy()
        onDial(undefined)
        callback(error ?? new AddressRefusedError(), null)
      } else callback(null, socket)
    }
    let dialed: Socket | undefined
    const timer = setTimeout(() => {
      finish(Object.assign(new Error('The connection took too long'), { code: 'CONNECT_TIMEOUT' }), null)
    }, timeoutMs)
    judgeHost(host, settings).then(
      ({ addresses, isAllowed }) => {
        if (isOver) return
        const dnsMs = performance.now() - startedAt
        const to = { host, port: Number(options.port || 443), lookup: lookupOf(addresses) }
        dialed = (settings.connect ?? connectTcp)(to)
        secure(dialed, { host, isAllowed, settings, dnsMs, startedAt, onDial, finish })
      },
      (error: Error) => finish(error, null),
    )
  }
}

type Judged = { addresses: LookupAddress[]; isAllowed: (address: string) => boolean }

async function judgeHost(host: string, settings: ConnectorSettings): Promise<Judged> {
  const { resolve = settings.allowPrivate ? systemResolve : nameServerResolve() } = settings
  const [addresses, ownAddresses] = await Promise.all([
    resolveHost(resolve, host),
    settings.allowPrivate ? undefined : settings.listOwnAddresses?.(),
  ])
  const rules: AddressRules = { ...settings, ...(ownAddresses && { ownAddresses }) }
  const isAllowed = (address: string) =>
    settings.allowPrivate || isInRanges(address, settings.innerRanges ?? []) || isPublicAddress(address, rules)
  if (addresses.length === 0) throw new NameUnresolvedError()
  if (!addresses.every(({ address }) => isAllowed(address))) throw new AddressRefusedError()
  return { addresses, isAllowed }
}

function resolveHost(resolve: Resolve, host: string): Promise<LookupAddress[]> {
  const family = isIP(host)
  if (family !== 0) return Promise.resolve([{ address: host, family }])
  return new Promise((settle, reject) => {
    resolve(host, (cause, addresses) => {
      if (cause) reject(new NameUnresolvedError({ cause }))
      else settle(addresses)
    })
  })
}

function lookupOf(addresses: LookupAddress[]): LookupFunction {
  const [first] = addresses
  return (_host, options, callback) => {
    if (options.all) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  }
}

type Securing = {
  host: string
  isAllowed: (address: string) => boolean
  settings: ConnectorSettings & { secureContext: () => SecureContext }
  dnsMs: number
  startedAt: number
  onDial: OnDial
  finish: (error: Error | null, socket: TLSSocket | null) => void
}

function secure(raw: Socket, { host, isAllowed, settings, dnsMs, startedAt, onDial, finish }: Securing): void {
  const fail = (error: Error) => finish(error, null)
  raw.on('error', fail)
  raw.once('connect', () => {
    if (!isAllowed(raw.remoteAddress ?? '')) return finish(new AddressRefusedError(), null)
    const connectedAt = performance.now()
    raw.setNoDelay(true)
    const socket = connectTls({
      socket: raw,
      secureContext: settings.secureContext(),
      ALPNProtocols: ['http/1.1'],
      // For the certificate; an address is no server name (RFC 6066 §3).
      host,
      ...(isIP(host) === 0 && { servername: host }),
    })
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      socket.off('error', fail)
      const tlsMs = performance.now() - connectedAt
      onDial({ dnsMs, connectMs: connectedAt - startedAt - dnsMs, tlsMs }, socket)
      finish(null, socket)
    })
  })
}
