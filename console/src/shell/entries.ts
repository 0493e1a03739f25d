import type { IconName } from '../components/icon.tsx'

export type Entry = {
  readonly to:
    | '/'
    | '/devices'
    | '/people'
    | '/groups/devices'
    | '/checks'
    | '/sign-ins'
    | '/audit'
    | '/settings/developers/streams'
    | '/settings/developers/webhooks'
  readonly text: string
  readonly icon: IconName
  /** Pressed after G. */
  readonly letter?: string
}

export const mainEntries: readonly Entry[] = [
  { to: '/', text: 'Dashboard', icon: 'dashboard', letter: 'h' },
  { to: '/devices', text: 'Devices', icon: 'device', letter: 'd' },
  { to: '/people', text: 'People', icon: 'people', letter: 'p' },
  { to: '/groups/devices', text: 'Groups', icon: 'group' },
  { to: '/checks', text: 'Checks', icon: 'check', letter: 'c' },
]

export const investigateEntries: readonly Entry[] = [
  { to: '/sign-ins', text: 'Sign-in log', icon: 'signIn' },
  { to: '/audit', text: 'Audit log', icon: 'history' },
]

export const developerEntries: readonly Entry[] = [
  { to: '/settings/developers/streams', text: 'Shared Signals', icon: 'signals', letter: 's' },
  { to: '/settings/developers/webhooks', text: 'Webhooks', icon: 'webhook', letter: 'w' },
]
