import type { MantineColorSchemeManager } from '@mantine/core'

/** public/scheme.js and shell/scheme.ts choose; Mantine is told what stands on the document and changes nothing. */
export const colorSchemeManager: MantineColorSchemeManager = {
  get: () => (document.documentElement.dataset['mantineColorScheme'] === 'dark' ? 'dark' : 'light'),
  set: () => {},
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => {},
}
