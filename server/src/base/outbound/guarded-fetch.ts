import { Agent, buildConnector, type Dispatcher, fetch as undiciFetch } from 'undici'
import { checkedConnector, sharedSecureContext } from './checked-connector.ts'
import type { OwnAddresses } from './own-addresses.ts'
import type { Resolve } from './resolve-name.ts'

export type GuardedFetch = ReturnType<typeof guardedFetch>

type GuardedConnections = {
  /** Of a host that the operator named in the settings: it may be private, and plain http where its URL says so. */
  trustedOrigin?: string | undefined
  /** Names of the operator's network that may be called by https besides public ones, in lower case. */
  innerNames?: readonly string[]
  /** The same as addresses and CIDR ranges. */
  innerRanges?: readonly string[]
  nat64Prefixes?: readonly string[]
  /** Muster's own addresses, which only the trusted host and those of the operator's network may have. */
  listOwnAddresses?: OwnAddresses
  /** How names are resolved; unless told otherwise as `checkedConnector` does. */
  resolve?: Resolve
  /** Certificates of authorities beside those that Node knows, in PEM. */
  extraAuthorities?: readonly string[]
}

type GuardedFetchSettings = GuardedConnections & {
  /** Of a body, once it is unpacked; a longer one fails. 1 MiB unless told otherwise. */
  maxBytes?: number
}

type Requested = { method?: string; headers?: Record<string, string>; body?: unknown; signal?: AbortSignal }

const connectTimeoutMs = 10_000

/**
 * A `fetch` for a library that speaks to a host which was named to us: it follows no redirect, uses no proxy, reads a
 * bounded body, and connects to the hosts of these settings or to public addresses only, so that documents of the host
 * cannot lead elsewhere in the operator's network. Rejects with a TypeError as `fetch` does.
 */
export function guardedFetch({ maxBytes = 2 ** 20, ...connecting }: GuardedFetchSettings) {
  const dispatcher = guardedDispatcher(connecting, maxBytes)

  return async (url: string, { method = 'GET', headers = {}, body, signal }: Requested = {}): Promise<Response> => {
    const response = await undiciFetch(url, {
      method,
      headers,
      // The library sends forms, which are text.
      body: body === undefined || body === null ? null : String(body),
      redirect: 'manual',
      dispatcher,
      ...(signal && { signal }),
    })
    const bytes = await readAtMost(response.body ?? [], maxBytes)
    const isEmpty = [204, 205, 304].includes(response.status)
    return new Response(isEmpty ? null : bytes, { status: response.status, headers: [...response.headers] })
  }
}

/** Connects to the hosts of the settings or to public addresses only; an answer that is longer than `maxBytes` as it comes fails. */
export function guardedDispatcher(
  { trustedOrigin, innerNames, ...connecting }: GuardedConnections,
  maxBytes: number,
): Dispatcher {
  const trusted = trustedOrigin === undefined ? undefined : new URL(trustedOrigin)
  const secureContext = sharedSecureContext(connecting)
  const connectorFor = (allowPrivate: boolean) =>
    checkedConnector({ ...connecting, allowPrivate, secureContext, timeoutMs: connectTimeoutMs }, () => {})
  const [toTrusted, toPublic] = [connectorFor(true), connectorFor(false)]
  const plain = buildConnector({ timeout: connectTimeoutMs })
  return new Agent({
    connect: (options, callback) => {
      const isTrusted = options.host === trusted?.host
      const isInner = innerNames?.includes(options.hostname.toLowerCase()) ?? false
      if (options.protocol === 'https:') return (isTrusted || isInner ? toTrusted : toPublic)(options, callback)
      if (isTrusted && trusted?.protocol === 'http:') return plain(options, callback)
      callback(new Error('Only the host of the settings may be called by plain http'), null)
    },
    allowH2: false,
    maxResponseSize: maxBytes,
  })
}

async function readAtMost(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number) {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > maxBytes) throw new TypeError('The answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
