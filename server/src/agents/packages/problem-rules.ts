import type { PackageAgent, PackageArchitecture, PackagePlatform } from '@muster/contract/packages.ts'
import { lackOf, systemOfPackage } from './runtimes/system-rules.ts'

type Facts = {
  agent: PackageAgent
  platform: PackagePlatform
  architecture: PackageArchitecture
  base_url: string
  secret_revoked_at: string | null
  /** Whether the Node that it brings is on this server. */
  hasNode: boolean
}

const speakers: Readonly<Record<PackageAgent, string>> = {
  osquery: 'osquery',
  muster_companion: 'The companion',
  muster_agent: 'The agent',
}
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whose Node a package brings, if any; of the script that fetches one, the system of most Macs. */
export function systemOf({ agent, platform, architecture }: Pick<Facts, 'agent' | 'platform' | 'architecture'>) {
  if (architecture !== 'any') return systemOfPackage({ platform, architecture })
  return agent === 'muster_companion' && platform === 'darwin' ? 'darwin-arm64' : undefined
}

/** Why devices cannot enroll with a package, or only some; null where all can. */
export function problemOf(facts: Facts): string | null {
  const { agent, base_url, secret_revoked_at } = facts
  const system = systemOf(facts)
  if (system !== undefined && !facts.hasNode) return lackOf(system)
  if (secret_revoked_at !== null) {
    return 'Its enrollment secret was revoked: muster packages rebuild gives it another.'
  }
  const { protocol, hostname } = new URL(base_url)
  const isLoopback = loopbackHosts.has(hostname)
  if (protocol !== 'https:' && (agent === 'osquery' || !isLoopback)) {
    return `${speakers[agent]} does not talk to ${base_url} without TLS: set MUSTER_BASE_URL to an https address that devices reach.`
  }
  if (isLoopback) return `Only the server’s own machine reaches ${base_url}: set MUSTER_BASE_URL.`
  return null
}
