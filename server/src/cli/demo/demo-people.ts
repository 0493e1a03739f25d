import { userInfo } from 'node:os'
import type { Platform } from '@muster/agent/simulate/operating-systems.ts'

export type MadeUpLaptop = {
  name: string
  platform: Platform
  ownerName: string
  title: string
  /** Slugs of the checks that it fails at first. */
  broken: readonly string[]
}

/** Whose companion answers the browser while this person signs in; null: nobody's. */
export type Seat = 'this machine' | MadeUpLaptop['name'] | null

export type DemoPerson = {
  slug: string
  name: string
  email: string
  /** Their own device, as enrollment registers it to them or the page does. */
  owns: Exclude<Seat, null> | null
  seat: Seat
  /** Whether it is registered to them from the start. */
  isRegistered: boolean
  kind: string
}

/** What the made-up laptops are judged by, and what a failure of it leads to there. */
export const demoStrategies = {
  'windows-firewall': { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 3 },
  'macos-screen-lock': { remediation_strategy: 'notify_only' },
  'linux-firewall': { remediation_strategy: 'block_immediately' },
  'linux-unattended-upgrades': { remediation_strategy: 'block_immediately' },
} as const

export const madeUpLaptops: readonly MadeUpLaptop[] = [
  { name: 'demo-ana', platform: 'darwin', ownerName: 'Ana Ruiz', title: 'MacBook', broken: [] },
  { name: 'demo-nia', platform: 'darwin', ownerName: 'Nia Okafor', title: 'MacBook', broken: ['macos-screen-lock'] },
  { name: 'demo-ben', platform: 'windows', ownerName: 'Ben Carter', title: 'PC', broken: ['windows-firewall'] },
  {
    ...{ name: 'demo-cleo', platform: 'linux', ownerName: 'Cleo Martin', title: 'Linux laptop' },
    broken: ['linux-firewall', 'linux-unattended-upgrades'],
  },
  { name: 'demo-dev', platform: 'darwin', ownerName: 'Dev Patel', title: 'MacBook', broken: [] },
]

const person = (name: string, kind: string, more: Partial<DemoPerson> = {}): DemoPerson => {
  const slug = (name.split(' ')[0] ?? name).toLowerCase()
  const laptop = `demo-${slug}`
  const common = { slug, name, kind, email: `${slug}@northwind.example` }
  return { ...common, owns: laptop, seat: laptop, isRegistered: true, ...more }
}

/** The rows of the demo, from the top. */
export const demoPeople = (): readonly DemoPerson[] => [
  {
    ...{ slug: 'you', name: userInfo().username, email: 'you@northwind.example', kind: 'This machine' },
    ...{ owns: 'this machine', seat: 'this machine', isRegistered: true },
  },
  person('Ana Ruiz', 'MacBook, demo-ana'),
  person('Nia Okafor', 'MacBook, demo-nia'),
  person('Ben Carter', 'Windows PC, demo-ben'),
  person('Cleo Martin', 'Linux laptop, demo-cleo'),
  person('Dev Patel', 'New MacBook, demo-dev', { isRegistered: false }),
  person('Fay Olsen', 'Ana’s MacBook, demo-ana', { owns: null, seat: 'demo-ana' }),
  person('Eli Novak', 'A PC without Muster', { owns: null, seat: null }),
]
