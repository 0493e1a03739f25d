// Party: applications of Node.js
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApplicationName } from '../../../src/cli/application-settings.ts'
import { applicationPlace } from './application-place.ts'
import { installPackages } from './installed-packages.ts'
import { walkThrough } from './sign-in-by.ts'

const place = applicationPlace()
const installed = installPackages('node')
const skip = 'missing' in installed ? installed.missing : false
const start = (name: ApplicationName, paths: Parameters<typeof place.start>[1]) =>
  place.start(name, paths, () => {
    assert.ok('folder' in installed)
    return { command: process.execPath, args: ['site.js'], cwd: installed.folder }
  })

test('express-openid-connect signs in by the settings that the documentation names', { skip }, async () => {
  const site = await start('express-openid-connect', { callback: '/callback', signedOut: '' })
  await walkThrough(place, site, {
    signIn: ({ browser, origin }) => browser.open(`${origin}/login`),
    signOut: ({ browser, origin }) => browser.open(`${origin}/logout`),
    refused: { status: 400, text: /authorization response from the server is an error/ },
  })
})

test('passport-openidconnect signs in without PKCE by the settings that the documentation names', {
  skip,
}, async () => {
  const paths = { callback: '/callback', signedOut: '/me', connection: { requiresPkce: false } }
  await walkThrough(place, await start('passport-openidconnect', paths), {
    signIn: ({ browser, origin }) => browser.open(`${origin}/login`),
    signOut: ({ browser, origin }) => browser.open(`${origin}/logout`),
    refused: { status: 401, text: /^The sign-in was canceled, or has ended\.$/ },
  })
})

test('Auth.js signs in by the settings that the documentation names', { skip }, async () => {
  const site = await start('Auth.js', { callback: '/auth/callback/muster', signedOut: '/me' })
  /** Its own pages send these forms. */
  async function send({ browser, origin }: typeof site, what: string) {
    const stop = await browser.open(`${origin}/auth/csrf`)
    assert.ok(stop.at === 'application')
    const { csrfToken } = JSON.parse(stop.text) as { csrfToken: string }
    return browser.open(`${origin}/auth/${what}`, { csrfToken, callbackUrl: `${origin}/me` })
  }
  await walkThrough(place, site, {
    signIn: (one) => send(one, 'signin/muster'),
    signOut: (one) => send(one, 'signout'),
    refused: { status: 200, text: /Try signing in with a different account\./ },
  })
})
