import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { at, opened, page, visit, withConsole } from './signed-in.ts'

// What a browser itself does with passkeys; adding one, signing in with it and removing it are in settings.test.ts.

withConsole(12)

const options = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

async function authenticatorOf(of: Page): Promise<{ client: CDPSession; authenticatorId: string }> {
  const client = await of.context().newCDPSession(of)
  await client.send('WebAuthn.enable')
  return { client, ...(await client.send('WebAuthn.addVirtualAuthenticator', { options })) }
}

/** Proves with a passkey of the page's browser, as the dialog of the console does; the status and the error. */
const prove = (of: Page, path: 'sign_in' | 'step_up', rpId?: string) =>
  of.evaluate(
    async ([where, foreign]) => {
      const headers = { 'content-type': 'application/json', 'x-muster-csrf': '' }
      const session = await fetch('/console/api/session')
      if (session.ok) headers['x-muster-csrf'] = (await session.json()).csrf_token
      const post = (to: string, body: object) =>
        fetch(`/console/api/session/passkey/${to}`, { method: 'POST', headers, body: JSON.stringify(body) })
      const { options: asked } = await (await post('options', {})).json()
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
        ...asked,
        ...(foreign !== undefined && { rpId: foreign }),
      })
      let credential: PublicKeyCredential
      try {
        credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
      } catch (error) {
        return [0, (error as DOMException).name]
      }
      const answer = await post(where, { response: credential.toJSON() })
      const body = await answer.json()
      return [answer.status, body.error]
    },
    [path, rpId] as const,
  )

test('a passkey of the browser signs in, proves again who is there, and a copy of it is found out', {
  skip,
}, async () => {
  const { client, authenticatorId } = await authenticatorOf(page)
  await visit('/account/security')
  await page.getByRole('button', { name: 'Add a passkey…' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
  await page.getByRole('button', { name: 'Add the passkey' }).click()
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  const { credentials } = await client.send('WebAuthn.getCredentials', { authenticatorId })
  const [credential] = credentials
  assert.deepEqual([credentials.length, credential?.rpId, credential?.isResidentCredential], [1, 'localhost', true])
  assert.ok(credential)

  // Whoever copied the key now signs with the count that it has.
  const elsewhere = await opened.browser.newContext()
  const thief = await elsewhere.newPage()
  await thief.goto(at('/sign-in'))
  const theirs = await authenticatorOf(thief)
  await theirs.client.send('WebAuthn.addCredential', { authenticatorId: theirs.authenticatorId, credential })

  const before = (await askAsPage(page, 'GET', '/session')).body.session.verified_until
  assert.deepEqual(await prove(page, 'step_up'), [200, undefined])
  assert.ok((await askAsPage(page, 'GET', '/session')).body.session.verified_until >= before)
  assert.deepEqual(await prove(page, 'step_up'), [200, undefined])
  assert.deepEqual(await prove(thief, 'sign_in'), [401, 'sign_in_failed'])
  await elsewhere.close()

  assert.equal((await askAsPage(page, 'POST', '/session/sign_out')).status, 204)
  assert.deepEqual(await prove(page, 'sign_in'), [200, undefined])
  assert.equal((await askAsPage(page, 'GET', '/session')).status, 200)
})

test('the browser gives no passkey to a page of another name, nor for one', { skip }, async () => {
  assert.deepEqual(await prove(page, 'sign_in', 'evil.example'), [0, 'SecurityError'])
  const context = await opened.browser.newContext()
  const stranger = await context.newPage()
  // The same server under another name, as a page that looks alike would be.
  await stranger.goto(`${opened.trial.baseUrl.replace('localhost', '127.0.0.1')}/console/sign-in`)
  const outcome = await stranger.evaluate(async () => {
    const answer = await fetch('/console/api/session/passkey/options', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const publicKey = { challenge: new Uint8Array(32), rpId: 'localhost', userVerification: 'required' as const }
    const error = await navigator.credentials.get({ publicKey }).catch((thrown: unknown) => thrown)
    return [answer.status, (await answer.json()).error, (error as DOMException).name]
  })
  assert.deepEqual(outcome, [403, 'cross_site', 'SecurityError'])
  await context.close()
})
