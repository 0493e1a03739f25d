import { page } from '../signed-in.ts'
import { button, choose, dialog, type Form, fill, typeNumber } from './form.ts'

const products = ['Google Workspace', 'Microsoft Entra', 'Okta', 'Keycloak', 'authentik', 'Zitadel', 'Auth0']

const upstreams: readonly Form[] = [...products, 'Another (OpenID Connect)'].map((product) => ({
  what: `a new identity provider, ${product}`,
  of: 'sign-in/new-upstream-page.tsx',
  path: '/connections/upstreams/new',
  operation: 'createSignInUpstream',
  send: async () => {
    await page.getByLabel('Product').selectOption(product)
    await button('Add identity provider').click()
  },
}))

const callers: readonly Form[] = ['OpenID Connect', 'Okta', 'an application'].map((caller) => ({
  what: `a new connection, ${caller}`,
  of: 'sign-in/new-connection-page.tsx',
  path: '/connections/new',
  operation: 'createSignInConnection',
  send: async () => {
    const card = caller === 'an application' ? /^An application sends people/ : new RegExp(`^${caller}`)
    await page.getByRole('radio', { name: card }).check()
    await button('Create the connection').click()
  },
}))

/** An application needs no keys, without which nothing is enforced. */
const withMode = (mode: 'observe' | 'enforce') => ({
  getSignInConnection: (connection: object) => ({ ...connection, kind: 'application', mode }),
})

const connection: readonly Form[] = [
  {
    what: 'a changed connection',
    of: 'sign-in/connection-settings-page.tsx',
    path: '/connections/$connectionId/settings',
    operation: 'changeSignInConnection',
    send: async () => {
      await fill('Name', 'Another')
      await button(/^Save/).click()
    },
  },
  {
    what: 'a changed application',
    of: 'sign-in/connection-settings-page.tsx',
    path: '/connections/$connectionId/settings',
    operation: 'changeSignInConnection',
    reads: withMode('observe'),
    send: async () => {
      await page.getByLabel('Require PKCE').uncheck()
      await button(/^Save/).click()
    },
  },
  {
    what: 'a connection that is to enforce',
    of: 'sign-in/readiness-dialog.tsx',
    path: '/connections/$connectionId',
    operation: 'changeSignInConnection',
    reads: withMode('observe'),
    send: async () => {
      await button('Enforce…').click()
      await typeNumber()
      await dialog()
        .getByRole('button', { name: /^Enforce/ })
        .click()
    },
  },
  {
    what: 'a pause of a connection',
    of: 'sign-in/pause-dialog.tsx',
    path: '/connections/$connectionId',
    operation: 'pauseSignInConnection',
    reads: withMode('enforce'),
    send: async () => {
      await button('Pause…').click()
      await dialog().getByLabel('Reason').fill('An upgrade')
      await dialog().getByRole('button', { name: 'Pause', exact: true }).click()
    },
  },
  {
    what: 'a new signing key',
    of: 'sign-in/signing-keys-page.tsx',
    path: '/connections/keys',
    operation: 'rotateSignInKeys',
    send: async () => {
      await button('Rotate the key…').click()
      await button('Rotate the key').click()
    },
  },
  {
    what: 'a changed identity provider',
    of: 'sign-in/upstream-page.tsx',
    path: '/connections/upstreams/$upstreamId',
    operation: 'changeSignInUpstream',
    send: async () => {
      await fill('Name', 'Another')
      await button('Save changes').click()
    },
  },
  {
    what: 'another client secret of an identity provider',
    of: 'sign-in/upstream-actions.tsx',
    path: '/connections/upstreams/$upstreamId',
    operation: 'replaceSignInUpstreamSecret',
    send: async () => {
      await choose('Replace the client secret…')
      await dialog().getByLabel('Client secret').first().fill('another-secret')
      await button('Replace').click()
    },
  },
]

export const connectionForms: readonly Form[] = [...upstreams, ...callers, ...connection]
