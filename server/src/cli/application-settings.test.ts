import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { applicationSettings, withApplications } from './application-settings.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, root), 'utf8')

test('the documentation has the settings of each application (npm run docs)', async () => {
  const page = await read('docs/sign-in/applications.md')
  assert.equal(withApplications(page), page)
  assert.equal(withApplications('no block'), undefined)
})

test('the versions are those that tests install', async () => {
  const { dependencies } = JSON.parse(await read('server/test/strangers/applications/node/package.json')) as {
    dependencies: Record<string, string>
  }
  const python = await read('server/test/strangers/applications/python/requirements.txt')
  const versionOf = (name: string) => dependencies[name] ?? new RegExp(`^${name}==(.+)$`, 'mi').exec(python)?.[1]
  const own = JSON.parse(await read('node_modules/openid-client/package.json')) as { version: string }
  const installed = {
    'openid-client': own.version,
    'express-openid-connect': versionOf('express-openid-connect'),
    'passport-openidconnect': versionOf('passport-openidconnect'),
    'Auth.js': versionOf('@auth/express'),
    Authlib: versionOf('authlib'),
    'mozilla-django-oidc': versionOf('mozilla_django_oidc'),
  } as const
  for (const [name, version] of Object.entries(installed)) {
    assert.equal(applicationSettings[name as keyof typeof installed].version, version, name)
  }
})
