import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { IconName } from '../components/icon.tsx'

export type Entry = {
  readonly to:
    | '/'
    | '/devices'
    | '/people'
    | '/groups/devices'
    | '/checks'
    | '/issues'
    | '/requests/exemptions'
    | '/connections'
    | '/sign-ins'
    | '/audit'
    | '/live-queries'
    | '/reporting/queries'
    | '/settings/developers/streams'
    | '/settings/developers/webhooks'
    | '/settings/developers/keys'
  /** What the addresses of its pages begin with, where that is more than the one it leads to. */
  readonly area?: string
  readonly text: string
  readonly icon: IconName
  /** Pressed after G. */
  readonly letter?: string
  /** Without it the entry is not there. */
  readonly needs?: AdminPower
}

export const mainEntries: readonly Entry[] = [
  { to: '/', text: 'Dashboard', icon: 'dashboard', letter: 'h' },
  { to: '/devices', text: 'Devices', icon: 'device', letter: 'd' },
  { to: '/people', text: 'People', icon: 'people', letter: 'p' },
  { to: '/groups/devices', area: '/groups/', text: 'Groups', icon: 'group' },
  { to: '/checks', text: 'Checks', icon: 'check', letter: 'c' },
  { to: '/issues', text: 'Issues', icon: 'issue', letter: 'i' },
  { to: '/requests/exemptions', area: '/requests/', text: 'Requests', icon: 'request', letter: 'r' },
  { to: '/connections', area: '/connections', text: 'Sign-in', icon: 'shield' },
]

export const investigateEntries: readonly Entry[] = [
  { to: '/live-queries', text: 'Live query', icon: 'terminal' },
  { to: '/reporting/queries', area: '/reporting/', text: 'Reporting', icon: 'table' },
  { to: '/sign-ins', text: 'Sign-in log', icon: 'signIn' },
  { to: '/audit', text: 'Audit log', icon: 'history' },
]

export const developerEntries: readonly Entry[] = [
  {
    to: '/settings/developers/streams',
    text: 'Shared Signals',
    icon: 'signals',
    letter: 's',
    needs: 'manage_ssf_streams',
  },
  { to: '/settings/developers/webhooks', text: 'Webhooks', icon: 'webhook', letter: 'w', needs: 'manage_webhooks' },
  { to: '/settings/developers/keys', text: 'API keys', icon: 'key', needs: 'manage_keys' },
]
