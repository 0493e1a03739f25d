import { hostname, networkInterfaces } from 'node:os'

export type LanNames = { hosts: string[]; addresses: string[] }

const isDnsName = (name: string) => /^(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i.test(name)

/** Every name and address by which other machines may call this one, and those by which it calls itself. */
export function findLanNames(): LanNames {
  const host = hostname().toLowerCase()
  const ownNames = isDnsName(host) ? [host, ...(host.includes('.') ? [] : [`${host}.local`])] : []
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    // A link-local IPv6 address means something only together with an interface, which a URL cannot name.
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address)
  return { hosts: [...ownNames, 'localhost'], addresses: [...new Set(outside), '127.0.0.1', '::1'] }
}

/** What to call this machine from another: its first address outside, since its name need not resolve there. */
export function lanHost({ hosts, addresses }: LanNames): string {
  const address = addresses.find((one) => one !== '127.0.0.1' && one !== '::1')
  if (address === undefined) return hosts[0] ?? 'localhost'
  return address.includes(':') ? `[${address}]` : address
}
