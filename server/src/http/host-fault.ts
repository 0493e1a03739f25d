import type { IncomingMessage } from 'node:http'

/** RFC 9112 §3.2: HTTP/1.1 without Host, and any request with two, is a 400. Undefined where there is nothing to refuse. */
export function hostFault({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const count = hostsIn(rawHeaders)
  if (count === 1 || (count === 0 && httpVersion !== '1.1')) return undefined
  return count === 0 ? 'The header Host is missing.' : 'The header Host is there more than once.'
}

/** Node keeps the first of several Host headers, so they are counted in what was sent: names and values by turns. */
function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}
