import type { IconName } from '../components/icon.tsx'

export type Entry = {
  readonly to: '/' | '/devices'
  readonly text: string
  readonly icon: IconName
  /** Pressed after G. */
  readonly letter: string
}

export const mainEntries: readonly Entry[] = [
  { to: '/', text: 'Dashboard', icon: 'dashboard', letter: 'h' },
  { to: '/devices', text: 'Devices', icon: 'device', letter: 'd' },
]
