import type { AdminPower } from '@muster/contract/admin-powers.ts'
import { guidePath } from '@muster/contract/guides.ts'
import type { IconName } from '../components/icon.tsx'
import { chooseScheme } from './scheme.ts'
import { signOut } from './sign-out.ts'

/** What the palette does besides opening pages and records. */
export type Command = {
  readonly text: string
  /** Other words that people look for it by. */
  readonly words: string
  readonly icon: IconName
  /** Without it the command is not offered. */
  readonly needs?: AdminPower
} & ({ readonly to: `/${string}` } | { readonly run: () => void })

export const commandsFor = (showShortcuts: () => void): readonly Command[] => [
  { text: 'Enroll a machine', words: 'add device install agent', icon: 'plus', to: '/console/devices/enroll' },
  {
    text: 'New check',
    words: 'create custom check',
    icon: 'plus',
    to: '/console/checks/new',
    needs: 'manage_custom_check_drafts',
  },
  {
    text: 'New live query',
    words: 'create ask devices sql',
    icon: 'plus',
    to: '/console/live-queries/new',
    needs: 'create_live_query',
  },
  {
    text: 'New reporting query',
    words: 'create report sql',
    icon: 'plus',
    to: '/console/reporting/queries/new',
    needs: 'create_live_query',
  },
  {
    text: 'New stream',
    words: 'create shared signals receiver okta',
    icon: 'plus',
    to: '/console/settings/developers/streams/new',
    needs: 'manage_ssf_streams',
  },
  {
    text: 'New webhook',
    words: 'create endpoint',
    icon: 'plus',
    to: '/console/settings/developers/webhooks/new',
    needs: 'manage_webhooks',
  },
  {
    text: 'New API key',
    words: 'create token',
    icon: 'plus',
    to: '/console/settings/developers/keys/new',
    needs: 'manage_keys',
  },
  {
    text: 'New sign-in connection',
    words: 'create oidc openid okta keycloak authentik application',
    icon: 'plus',
    to: '/console/connections/new',
    needs: 'manage_sign_in',
  },
  {
    text: 'Invite an administrator',
    words: 'add user new admin',
    icon: 'plus',
    to: '/console/settings/admins',
    needs: 'manage_administrators',
  },
  { text: 'Settings', words: 'organization preferences', icon: 'settings', to: '/console/settings/organization' },
  { text: 'Light appearance', words: 'theme mode', icon: 'settings', run: () => chooseScheme('light') },
  { text: 'Dark appearance', words: 'theme mode', icon: 'settings', run: () => chooseScheme('dark') },
  { text: 'System appearance', words: 'theme mode', icon: 'settings', run: () => chooseScheme('auto') },
  {
    text: 'Documentation',
    words: 'help guide manual docs',
    icon: 'terminal',
    run: () => location.assign(guidePath('console')),
  },
  { text: 'API reference', words: 'docs help documentation', icon: 'terminal', run: () => location.assign('/docs') },
  { text: 'Keyboard shortcuts', words: 'help keys', icon: 'terminal', run: showShortcuts },
  { text: 'Sign out', words: 'log out leave', icon: 'signIn', run: () => void signOut() },
]
