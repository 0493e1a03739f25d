import { networkInterfaces } from 'node:os'
import { canonicalAddress, isInRanges } from './public-address.ts'
import { nameServerResolve, type Resolve, systemResolve } from './resolve-name.ts'

type OwnAddressesSettings = {
  /** Names or addresses whose addresses are Muster's own: those of the database and of the base address. */
  hosts: readonly string[]
  /** Own addresses that receivers may still have, as CIDR ranges or single addresses. */
  sharedRanges?: readonly string[]
  /** How the names are resolved; unless told otherwise as receivers' names are, and as every program does. */
  resolvers?: readonly Resolve[]
  /** Of this machine; those of the operating system unless told otherwise. */
  listInterfaces?: () => readonly string[]
  /** Milliseconds since any moment, never going back. */
  monotonicMs?: () => number
}

/** The addresses that are Muster's own at this moment, in the form of `canonicalAddress`. */
export type OwnAddresses = () => Promise<ReadonlySet<string>>

const knownForMs = 60_000

/** The names of Muster itself: of its base address, and of its database where that is reached over a network. */
export const ownHosts = (baseUrl: string, databaseHost: string | undefined): string[] => [
  new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''),
  ...(databaseHost === undefined ? [] : [databaseHost]),
]

/**
 * The machine's interfaces are read each time. The names are resolved again when their addresses are a minute old; a
 * name that cannot be resolved keeps the addresses that it had.
 */
export function ownAddresses({
  hosts,
  sharedRanges = [],
  resolvers = [nameServerResolve(), systemResolve],
  listInterfaces = interfaceAddresses,
  monotonicMs = () => performance.now(),
}: OwnAddressesSettings): OwnAddresses {
  const known = new Map<string, readonly string[]>()
  let refreshed: { at: number; done: Promise<unknown> } | undefined

  const refresh = (): Promise<unknown> =>
    Promise.all(
      hosts.map(async (host) => {
        const found = await addressesOf(host, resolvers)
        if (found.length > 0) known.set(host, found)
      }),
    )

  return async () => {
    if (!refreshed || monotonicMs() - refreshed.at >= knownForMs) refreshed = { at: monotonicMs(), done: refresh() }
    await refreshed.done
    const all = [...listInterfaces(), ...[...known.values()].flat()]
    return new Set(
      all.filter((address) => !isInRanges(address, sharedRanges)).flatMap((address) => canonicalAddress(address) ?? []),
    )
  }
}

async function addressesOf(host: string, resolvers: readonly Resolve[]): Promise<string[]> {
  if (canonicalAddress(host) !== undefined) return [host]
  const answers = await Promise.all(
    resolvers.map(
      (resolve) =>
        new Promise<string[]>((settle) => {
          resolve(host, (error, addresses) => settle(error ? [] : addresses.map(({ address }) => address)))
        }),
    ),
  )
  return answers.flat()
}

const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
