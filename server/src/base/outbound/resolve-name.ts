import { type LookupAddress, lookup, Resolver } from 'node:dns'

/** All addresses of a name. */
export type Resolve = (host: string, callback: (error: Error | null, addresses: LookupAddress[]) => void) => void

/** As every program of the machine does, with its hosts file. */
export const systemResolve: Resolve = (host, callback) => lookup(host, { all: true, verbatim: true }, callback)

type NameServers = {
  /** Addresses of name servers; those of the system unless told otherwise. */
  servers?: readonly string[]
  /** To the first answer; a second try has twice that. */
  timeoutMs?: number
}

/**
 * Asks the name servers itself. `getaddrinfo` occupies a thread for as long as a name server is silent, of which Node
 * gives names two: a few names of one stranger would keep everyone's waiting. One kind of address is enough where
 * the other one's answer fails.
 */
export const nameServerResolve =
  ({ servers, timeoutMs = 1_000 }: NameServers = {}): Resolve =>
  (host, callback) => {
    // A new one each time knows the servers of now, and remembers no answer.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    const found: LookupAddress[] = []
    let [open, failure]: [number, Error | null] = [2, null]
    const heard = (family: 4 | 6) => (error: Error | null, addresses: string[] | undefined) => {
      open -= 1
      failure ??= error
      if (!error) for (const address of addresses ?? []) found.push({ address, family })
      if (open === 0) callback(found.length === 0 ? failure : null, found)
    }
    resolver.resolve4(host, heard(4))
    resolver.resolve6(host, heard(6))
  }
