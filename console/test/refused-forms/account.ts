import { adminPassword } from '../browser.ts'
import { page } from '../signed-in.ts'
import { button, dialog, type Form, fill } from './form.ts'

/** As if the browser had made one. */
const makePasskeys = () =>
  page.evaluate(() => {
    const made = Object.assign(Object.create(PublicKeyCredential.prototype), { toJSON: () => ({ id: 'made' }) })
    navigator.credentials.create = async () => made
  })

const account: readonly Form[] = [
  {
    what: 'another password',
    of: 'account/password-block.tsx',
    path: '/account/security',
    operation: 'changePassword',
    send: async () => {
      await button('Change the password…').click()
      await dialog().locator('input[name=password]').fill(adminPassword)
      await dialog().locator('input[name=new_password]').fill('another long walk at dusk')
      await button('Change the password').click()
    },
  },
  {
    what: 'an authenticator app',
    of: 'account/totp-form.tsx',
    path: '/account/security',
    operation: 'enableTotp',
    send: async () => {
      await button('Set up…').click()
      await dialog().getByLabel('Code', { exact: true }).fill('123456')
      await button('Use this app').click()
    },
  },
  {
    what: 'a passkey',
    of: 'account/passkeys.tsx',
    path: '/account/security',
    operation: 'addPasskey',
    send: async () => {
      await makePasskeys()
      await button('Add a passkey…').click()
      await dialog().getByLabel('Name').fill('Laptop')
      await button('Add the passkey').click()
    },
  },
  {
    what: 'a passkey after an invitation',
    of: 'gates/second-factor-page.tsx',
    path: '/setup/second-factor',
    operation: 'addPasskey',
    send: async () => {
      await makePasskeys()
      await button('Add a passkey').click()
    },
  },
]

const signingIn: readonly Form[] = [
  {
    what: 'a sign-in',
    of: 'gates/sign-in-page.tsx',
    path: '/sign-in',
    operation: 'signIn',
    reads: { getSignInOptions: (options) => ({ ...options, needs_organization: true }) },
    send: async () => {
      await fill('E-mail', 'mira@halden.example')
      await page.locator('input[name=password]').fill(adminPassword)
      await button('Sign in').click()
    },
  },
  {
    what: 'a proof of who someone is',
    of: 'shell/proof-form.tsx',
    path: '/settings/developers/webhooks/$endpointId/settings',
    operation: 'stepUp',
    send: async () => {
      const json = { error: 'step_up_needed', message: 'Confirm that it is you.' }
      await page.route('**/reveal_secret', (route) => route.fulfill({ status: 403, json }))
      await button('Reveal the secret').click()
      await button('Confirm').click()
    },
  },
]

const links: readonly Form[] = (['invite', 'first_run'] as const).map((purpose) => ({
  what: `the link of ${purpose === 'invite' ? 'an invitation' : 'the first start'}`,
  of: 'gates/accept-form.tsx',
  path: '/setup#token',
  operation: 'acceptLink',
  reads: {
    getLink: () => ({
      ...{ purpose, email: purpose === 'invite' ? 'ada@halden.example' : null },
      ...{ expires_at: '2099-01-01T00:00:00.000Z', organization: { id: '1', name: 'Acme' } },
    }),
  },
  send: async () => {
    if (purpose === 'first_run') {
      await fill('First name', 'Ada')
      await fill('E-mail', 'ada@halden.example')
    }
    await page.locator('input[name=password]').fill(adminPassword)
    await button(purpose === 'first_run' ? 'Create the account' : 'Save the password and sign in').click()
  },
}))

export const accountForms: readonly Form[] = [...account, ...signingIn, ...links]
