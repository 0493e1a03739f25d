// Party: applications of Python: pip3=python3-pip
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApplicationName } from '../../../src/cli/application-settings.ts'
import { applicationPlace } from './application-place.ts'
import { installPackages } from './installed-packages.ts'
import { walkThrough } from './sign-in-by.ts'

const place = applicationPlace()
const installed = installPackages('python')
const skip = 'missing' in installed ? installed.missing : false
const start = (name: ApplicationName, program: string, paths: Parameters<typeof place.start>[1]) =>
  place.start(name, paths, () => {
    assert.ok('folder' in installed)
    const env = { PYTHONPATH: 'lib', PYTHONDONTWRITEBYTECODE: '1' }
    return { command: 'python3', args: [program], cwd: installed.folder, env }
  })

test('Authlib signs in by the settings that the documentation names', { skip }, async () => {
  const site = await start('Authlib', 'flask_site.py', { callback: '/callback', signedOut: '/me' })
  await walkThrough(place, site, {
    signIn: ({ browser, origin }) => browser.open(`${origin}/login`),
    signOut: ({ browser, origin }) => browser.open(`${origin}/logout`),
    refused: { status: 500, text: /Internal Server Error/ },
  })
  assert.match(site.output(), /OAuthError: access_denied: The sign-in was canceled, or has ended\./)
})

test('mozilla-django-oidc signs in by the settings that the documentation names', { skip }, async () => {
  const site = await start('mozilla-django-oidc', 'django_site.py', { callback: '/oidc/callback/', signedOut: '/me' })
  await walkThrough(place, site, {
    signIn: ({ browser, origin }) => browser.open(`${origin}/oidc/authenticate/`),
    signOut: ({ browser, origin }) => browser.open(`${origin}/oidc/logout/`, {}),
    refused: { status: 401, text: /^The sign-in failed\.$/ },
  })
})
