import { type ComputerType, computerTypes } from '@muster/contract/computer-types.ts'
import type { PackageAgent } from '@muster/contract/packages.ts'
import { given, readChoice } from '../components/read-filters.ts'

export type EnrollChoice = { platform?: ComputerType; agent?: PackageAgent }

const agents: readonly PackageAgent[] = ['osquery', 'muster_companion', 'muster_agent']

/** What an address chooses of the page: the platform, and which of its packages comes first. */
export const readEnrollChoice = (raw: Readonly<Record<string, unknown>>): EnrollChoice =>
  given({ platform: readChoice(raw, 'platform', computerTypes), agent: readChoice(raw, 'agent', agents) })
