import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEmail } from './verified-email.ts'

const tenant = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
const entra = `https://login.microsoftonline.com/${tenant}/v2.0`
const okta = 'https://acme.okta.com'
const email = 'maya@acme.example'
const other = 'root@acme.example'

const verified = { verified: email, isUnverified: false }
const unverified = { verified: undefined, isUnverified: true }
const none = { verified: undefined, isUnverified: false }

type Said = Record<string, unknown>
type Case = [title: string, issuer: string, token: Said, expected: object, beside?: Said]

const edov = (value: unknown) => ({ email, xms_edov: value })

const cases: Case[] = [
  ['email_verified, of any provider', okta, { email, email_verified: true }, verified],
  ['email_verified, of Entra', entra, { email, email_verified: true }, verified],
  ['email_verified beside the token', okta, {}, verified, { email, email_verified: true }],
  ['email_verified that is the text true', okta, { email, email_verified: 'true' }, verified],
  ...['false', 'True', '1', 1, null, {}].map(
    (value): Case => [`email_verified ${JSON.stringify(value)}`, okta, { email, email_verified: value }, unverified],
  ),
  [
    'xms_edov against email_verified that is the text false',
    entra,
    { ...edov(true), email_verified: 'false' },
    unverified,
  ],
  ['no word', okta, { email }, unverified],
  ['no word of Entra', entra, { email }, unverified],
  ['no address', entra, { xms_edov: true }, none],
  ['an address with a space', entra, { email: 'maya @acme.example', xms_edov: true }, none],
  ...[true, 'true', 1, '1'].map((value): Case => [`xms_edov ${JSON.stringify(value)}`, entra, edov(value), verified]),
  ...[false, 'false', 0, '0', null, undefined, 'yes', 'True', 2, {}, [true]].map(
    (value): Case => [`xms_edov ${JSON.stringify(value)}`, entra, edov(value), unverified],
  ),
  ['xms_edov against email_verified', entra, { ...edov(true), email_verified: false }, unverified],
  ['xms_edov against email_verified beside it', entra, edov(true), unverified, { email, email_verified: false }],
  ['xms_edov, and another address beside the token', entra, edov(true), verified, { email: other }],
  ['xms_edov beside the token only', entra, { email }, unverified, { xms_edov: true }],
  ['xms_edov in the token without the address', entra, { xms_edov: true }, none, { email }],
  ['xms_edov of the cloud for governments', entra.replace('.com/', '.us/'), edov(true), verified],
  ['xms_edov of the cloud in China', `https://login.partner.microsoftonline.cn/${tenant}/v2.0`, edov(true), verified],
  ...[
    okta,
    `https://login.microsoftonline.com/${tenant}`,
    `https://login.microsoftonline.com/${tenant}/v2.0/`,
    `https://login.microsoftonline.com/common/${tenant}/v2.0`,
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/organizations/v2.0',
    'https://login.microsoftonline.com/acme.example/v2.0',
    `https://login.microsoftonline.com.evil.example/${tenant}/v2.0`,
    `https://sts.windows.net/${tenant}/`,
    `http://login.microsoftonline.com/${tenant}/v2.0`,
  ].map((issuer): Case => [`xms_edov of ${issuer}`, issuer, edov(true), unverified]),
  ['xms_edov of another tenant', entra, { ...edov(true), iss: entra.replace('5f2c', '0000') }, unverified],
  [
    'xms_edov of a tenant where the settings name all',
    entra.replace(tenant, 'common'),
    { ...edov(true), iss: entra },
    unverified,
  ],
]

for (const [title, issuer, token, expected, beside = {}] of cases) {
  test(`an address is the person’s if the provider says so: ${title}`, () => {
    assert.deepEqual(readEmail({ issuer, token: { iss: issuer, ...token }, beside }), expected)
  })
}
