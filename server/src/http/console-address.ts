import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Below it is what the console's pages ask. */
export const consolePrefix = '/console/api'

/** How the addresses of the console's pages begin, below `/console`. */
const beginnings = new Set([
  ...['account', 'audit', 'checks', 'connections', 'devices', 'groups', 'invite', 'issues', 'live-queries', 'people'],
  ...['reporting', 'requests', 'settings', 'setup', 'sign-in', 'sign-ins'],
])

/** Who looks at the answer: browsers ask for pages by name, programs for JSON. Undefined where neither is preferred. */
export function whoReads({ accept = '' }: IncomingHttpHeaders): 'person' | 'program' | undefined {
  const weights = new Map(accept.toLowerCase().split(',').map(readPreference))
  const [page, json] = [weights.get('text/html') ?? 0, weights.get('application/json') ?? 0]
  if (page > json) return 'person'
  return json > 0 ? 'program' : undefined
}

/** RFC 9110 §12.5.1, without what tells one JSON from another. */
function readPreference(preference: string): [type: string, weight: number] {
  const [type = '', ...parameters] = preference.split(';').map((part) => part.trim())
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2)
  return [type, weight === undefined ? 1 : Number(weight)]
}

/** The page of the console for an address that someone has typed without `/console`: the one of a record of the API, say. */
export function consoleAddressOf({ method, url, headers }: FastifyRequest): string | undefined {
  if (method !== 'GET' || headers.authorization !== undefined || whoReads(headers) !== 'person') return undefined
  const [, beginning = ''] = /^\/([^/?]*)/.exec(url) ?? []
  return beginnings.has(beginning) ? `/console${url}` : undefined
}
