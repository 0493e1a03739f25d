import type { ApiVersion } from '@muster/contract/versions.ts'
import type { Arguments, CallOf, Method, PathOf, ResultOf } from './calls.ts'
import { MusterError } from './muster-error.ts'
import { type Retries, retryingFetch } from './retrying-fetch.ts'

export type MusterClientOptions<Version extends ApiVersion> = {
  /** Where the service is, such as `https://muster.example.com`. */
  baseUrl: string
  apiKey: string
  /** Every request names the version, so that answers stay the same; the latest unless told otherwise. */
  version?: Version
  retries?: Retries
  fetch?: (request: Request) => Promise<Response>
}

type Caller<Version extends ApiVersion, Sent extends Method> = <Path extends PathOf<Version, Sent>>(
  path: Path,
  ...call: Arguments<CallOf<Version, Sent, Path>>
) => Promise<ResultOf<Version, Sent, Path>>

export type MusterClient<Version extends ApiVersion = '2026-04-07'> = {
  readonly get: Caller<Version, 'GET'>
  readonly post: Caller<Version, 'POST'>
  readonly patch: Caller<Version, 'PATCH'>
  readonly delete: Caller<Version, 'DELETE'>
}

type Sent = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/**
 * A client whose paths, parameters, bodies and answers are typed by the operations of the contract. A refused request
 * throws MusterError; one that was refused for coming too often is sent again when it may be.
 */
export function createMusterClient<Version extends ApiVersion = '2026-04-07'>(
  options: MusterClientOptions<Version>,
): MusterClient<Version> {
  const { baseUrl, apiKey, version = '2026-04-07', retries, fetch = globalThis.fetch } = options
  const origin = baseUrl.replace(/\/+$/, '')
  const send = retryingFetch(fetch, retries)
  const caller =
    (method: Method) =>
    async (path: string, call: Sent = {}) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'x-service-api-version': version }
      const response = await send(requestOf(method, `${origin}${addressOf(path, call)}`, call, headers))
      if (!response.ok) throw new MusterError(response, await response.json().catch(() => undefined))
      if (response.status === 204) return undefined
      return response.headers.get('content-type')?.includes('json') ? response.json() : response
    }
  const callers = { get: caller('GET'), post: caller('POST'), patch: caller('PATCH'), delete: caller('DELETE') }
  // What the types allow for each path is more than can be said of all paths at once.
  return callers as unknown as MusterClient<Version>
}

function addressOf(path: string, { params = {}, query = {} }: Sent): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return search === '' ? filled : `${filled}?${search}`
}

function requestOf(method: Method, address: string, { body, signal }: Sent, headers: Record<string, string>): Request {
  return new Request(address, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}
