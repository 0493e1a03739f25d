import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import type { buildConnector } from 'undici'
import { isPublicAddress } from './public-address.ts'
import type { ReceiverRules } from './receiver-url.ts'
import { nameServerResolve, type Resolve, systemResolve } from './resolve-name.ts'

/** How long the parts of making a connection took, in milliseconds. */
export type DialTimings = { dnsMs: number; connectMs: number; tlsMs: number }

type OnDial = (timings: DialTimings | undefined, socket?: TLSSocket) => void

export type ConnectorSettings = ReceiverRules & {
  /** Unless told otherwise the name servers are asked; where private addresses are allowed, the system is. */
  resolve?: Resolve
  /** Certificates of authorities beside those that Node knows, in PEM. */
  extraAuthorities?: readonly string[]
  /** For connection, handshake and everything before. */
  timeoutMs: number
}

/** The address may not be dialled. Says nothing of what it is, which a caller must not learn. */
class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED'
  constructor() {
    super('The host is not publicly reachable')
  }
}

/** No name server gave an address, whatever the reason. */
class NameUnresolvedError extends Error {
  readonly code = 'NAME_UNRESOLVED'
  constructor(options: ErrorOptions) {
    super('The host has no address', options)
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
 * in between changes nothing. `onDial` hears of every attempt: how long it took and what came of it, or nothing when it
 * failed.
 */
export function checkedConnector(settings: ConnectorSettings & { secureContext: () => SecureContext }, onDial: OnDial) {
  const { resolve = settings.allowPrivate ? systemResolve : nameServerResolve(), timeoutMs } = settings
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
      if (!socket) onDial(undefined)
      if (socket) callback(null, socket)
      else callback(error ?? new AddressRefusedError(), null)
    }
    let dialled: TLSSocket | undefined
    const timer = setTimeout(() => {
      finish(Object.assign(new Error('The connection took too long'), { code: 'CONNECT_TIMEOUT' }), null)
      dialled?.destroy()
    }, timeoutMs)
    resolveHost(resolve, host, (error, addresses) => {
      if (isOver) return
      if (error) return finish(new NameUnresolvedError({ cause: error }), null)
      if (!areAllowed(addresses, settings)) return finish(new AddressRefusedError(), null)
      const dnsMs = performance.now() - startedAt
      dialled = dial(host, Number(options.port || 443), addresses, settings.secureContext())
      watch(dialled, { settings, dnsMs, startedAt, onDial, finish })
    })
  }
}

function resolveHost(resolve: Resolve, host: string, callback: Parameters<Resolve>[1]): void {
  const family = isIP(host)
  if (family === 0) resolve(host, callback)
  else callback(null, [{ address: host, family }])
}

const areAllowed = (addresses: readonly LookupAddress[], settings: ConnectorSettings): boolean =>
  addresses.length > 0 &&
  (settings.allowPrivate || addresses.every(({ address }) => isPublicAddress(address, settings)))

function dial(host: string, port: number, addresses: LookupAddress[], secureContext: SecureContext): TLSSocket {
  const [first] = addresses
  const judged: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  }
  return connectTls({
    host,
    port,
    lookup: judged,
    secureContext,
    ALPNProtocols: ['http/1.1'],
    // An address is no server name (RFC 6066 §3).
    ...(isIP(host) === 0 && { servername: host }),
  })
}

type Watching = {
  settings: ConnectorSettings
  dnsMs: number
  startedAt: number
  onDial: OnDial
  finish: (error: Error | null, socket: TLSSocket | null) => void
}

function watch(socket: TLSSocket, { settings, dnsMs, startedAt, onDial, finish }: Watching): void {
  let connectedAt = startedAt
  socket.once('connect', () => {
    connectedAt = performance.now()
  })
  const fail = (error: Error) => finish(error, null)
  socket.once('error', fail)
  socket.once('secureConnect', () => {
    socket.off('error', fail)
    const { remoteAddress = '' } = socket
    if (!settings.allowPrivate && !isPublicAddress(remoteAddress, settings)) {
      socket.destroy()
      return finish(new AddressRefusedError(), null)
    }
    const tlsMs = performance.now() - connectedAt
    socket.setNoDelay(true)
    onDial({ dnsMs, connectMs: connectedAt - startedAt - dnsMs, tlsMs }, socket)
    finish(null, socket)
  })
}
