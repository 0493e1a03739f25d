import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperationName, operations } from '@muster/contract/operations/all-operations.ts'
import type { Route } from 'playwright-core'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { fieldsOfBody } from './fields-of-body.ts'
import { page, visit, withConsole } from './signed-in.ts'

const ids = { draft: '', stream: '', webhook: '', connection: '' }

withConsole(12, {
  async setUp() {
    const make = async (path: string, body: object) => String((await askAsPage(page, 'POST', path, body)).body.id)
    ids.draft = await make('/custom_check_drafts', { input: { name: 'Hosts', osquery_sql: 'SELECT 1' } })
    ids.stream = await make('/ssf_streams', { name: 'Gateway', delivery: { method: 'urn:ietf:rfc:8936' } })
    ids.webhook = await make('/webhook_endpoints', { url: 'https://hooks.invalid/in', events: ['issues.new'] })
    ids.connection = await make('/session/sign_in_connections', {
      ...{ kind: 'second_step', mode: 'disabled', is_public: false, name: 'Payroll' },
      redirect_uris: ['https://payroll.example.com/callback'],
    })
  },
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const fill = (label: string | RegExp, text: string) => page.getByLabel(label).first().fill(text)

/** One form: where it is, what it sends, and how it comes to send it. */
type Form = {
  readonly what: string
  readonly path: string | (() => string)
  readonly operation: OperationName
  readonly send: () => Promise<void>
}

const products = ['Google Workspace', 'Microsoft Entra', 'Okta', 'Keycloak', 'authentik', 'Zitadel', 'Auth0']

const upstreams: readonly Form[] = [...products, 'Another (OpenID Connect)'].map((product) => ({
  what: `a new identity provider, ${product}`,
  path: '/connections/upstreams/new',
  operation: 'createSignInUpstream',
  send: async () => {
    await page.getByLabel('Product').selectOption(product)
    await button('Add identity provider').click()
  },
}))

const connections: readonly Form[] = ['OpenID Connect', 'Okta', 'OpenID Connect application'].map((caller) => ({
  what: `a new connection, ${caller}`,
  path: '/connections/new',
  operation: 'createSignInConnection',
  send: async () => {
    const isApplication = caller.endsWith('application')
    if (isApplication) await page.getByRole('radio', { name: /^Another identity provider/ }).check()
    else await page.getByRole('radio', { name: new RegExp(`^${caller}`) }).check()
    await button('Create the connection').click()
  },
}))

const streams: readonly Form[] = ['push', 'poll', 'Okta'].map((kind) => ({
  what: `a new stream, ${kind}`,
  path: '/settings/developers/streams/new',
  operation: 'createSsfStream',
  send: async () => {
    if (kind === 'Okta') {
      await page.getByRole('radio', { name: /^Okta/ }).check()
      await fill(/^Address of your Okta/, 'https://acme.okta.com')
    } else await page.getByRole('radio', { name: new RegExp(`^${kind}`, 'i') }).check()
    await button('Create the stream').click()
  },
}))

const others: readonly Form[] = [
  {
    what: 'a new webhook',
    path: '/settings/developers/webhooks/new',
    operation: 'createWebhookEndpoint',
    send: () => button('Create the webhook').click(),
  },
  {
    what: 'a new key',
    path: '/settings/developers/keys/new',
    operation: 'createApiKey',
    send: async () => {
      await fill('Name', 'Export')
      await button('Create the key').click()
    },
  },
  {
    what: 'a new draft',
    path: '/checks/new',
    operation: 'createCustomCheckDraft',
    send: async () => {
      await fill('Name', 'Hosts')
      await button('Create draft').click()
    },
  },
  {
    what: 'a draft',
    path: () => `/checks/drafts/${ids.draft}`,
    operation: 'editCustomCheckDraft',
    send: async () => {
      await fill('Name', 'Another')
      await button('Save the draft').click()
    },
  },
  {
    what: 'a changed stream',
    path: () => `/settings/developers/streams/${ids.stream}/settings`,
    operation: 'updateSsfStream',
    send: async () => {
      await fill('Name', 'Another')
      await button(/^Save/).click()
    },
  },
  {
    what: 'a changed webhook',
    path: () => `/settings/developers/webhooks/${ids.webhook}/settings`,
    operation: 'updateWebhookEndpoint',
    send: async () => {
      await fill('Description (optional)', 'Another')
      await button(/^Save/).click()
    },
  },
  {
    what: 'a changed connection',
    path: () => `/connections/${ids.connection}/settings`,
    operation: 'changeSignInConnection',
    send: async () => {
      await fill('Name', 'Another')
      await button(/^Save/).click()
    },
  },
  {
    what: 'the name of the organization',
    path: '/settings/organization',
    operation: 'renameOrganization',
    send: async () => {
      await fill('Name of the organization', 'Another')
      await button('Save the name').click()
    },
  },
  {
    what: 'retention',
    path: '/settings/retention',
    operation: 'updateSettings',
    send: async () => {
      const days = page.locator('.days-field input').first()
      await days.fill(String(Number(await days.inputValue()) + 1))
      await button('Save 1 change').click()
    },
  },
  {
    what: 'a SCIM token',
    path: '/settings/scim',
    operation: 'createScimToken',
    send: async () => {
      await button('New token…').click()
      await fill('Name', 'Okta')
      await button('Create token').click()
    },
  },
  {
    what: 'a person',
    path: '/people',
    operation: 'addPerson',
    send: async () => {
      await button('Add person…').click()
      await page.getByRole('dialog').getByLabel('Name').fill('Ada')
      await page.getByRole('dialog').getByLabel('E-mail').fill('ada@halden.example')
      await button('Add person').click()
    },
  },
  {
    what: 'an enrollment secret',
    path: '/settings/enrollment',
    operation: 'createEnrollmentSecret',
    send: async () => {
      await button('New secret…').click()
      await page.getByRole('dialog').getByLabel('Name').first().fill('Laptops')
      await button('Create secret').click()
    },
  },
]

const dialogs: readonly Form[] = [
  {
    what: 'an invitation',
    path: '/settings/admins',
    operation: 'inviteAdministrator',
    send: async () => {
      await button('Invite…').click()
      await page.getByRole('dialog').getByLabel('First name').fill('Ada')
      await page.getByRole('dialog').getByLabel('E-mail').fill('ada@halden.example')
      await button('Create link').click()
    },
  },
  {
    what: 'a device group',
    path: '/groups/devices',
    operation: 'createDeviceGroup',
    send: async () => {
      await button('New group').click()
      await page.getByRole('dialog').getByLabel('Name').fill('Laptops')
      await button('Create group').click()
    },
  },
  {
    what: 'a reporting query',
    path: '/reporting/queries/new',
    operation: 'createReportingQuery',
    send: async () => {
      await fill('Name', 'Devices')
      await fill('SQL over the reporting tables', 'select 1 as one')
      await button('Save and run').click()
    },
  },
]

/** As the server names it, in a message that nothing else on the page says. */
const messageOf = (field: string): string => `must not be [${field}] of the tests`

async function refuse(route: Route, method: string, fields: readonly string[]): Promise<void> {
  if (route.request().method() !== method) return route.fallback()
  const errors = fields.map((field) => ({ field, message: messageOf(field) }))
  await route.fulfill({ status: 422, json: { error: 'invalid', message: 'Some fields are not valid.', errors } })
}

for (const { what, path, operation, send } of [...upstreams, ...connections, ...streams, ...others, ...dialogs]) {
  test(`every field of which the server says something is named: ${what}`, { skip }, async () => {
    const { method, path: address, body } = operations[operation] as Parameters<typeof fieldsOfBody>[0]
    const fields = [...fieldsOfBody({ method, path: address, body }), 'of_no_form']
    const pattern = `**/console/api${address.replace(/:\w+/g, '*')}`
    const answer = (route: Route) => refuse(route, method, fields)
    await page.route(pattern, answer)
    try {
      await visit(typeof path === 'string' ? path : path())
      await send()
      await page.getByText(messageOf('of_no_form')).first().waitFor()
      // Styles begin a message with a capital.
      // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
      const shown = (await page.locator('body').innerText()).replace(/\s+/g, ' ').toLowerCase()
      const silent = fields.filter((field) => !shown.includes(messageOf(field).toLowerCase()))
      assert.deepEqual(silent, [])
    } finally {
      await page.unroute(pattern, answer)
    }
  })
}
