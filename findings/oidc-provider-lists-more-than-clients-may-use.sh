#!/usr/bin/env bash
# oidc-provider writes a discovery document that names more than any client of it can have.
#
# Version: oidc-provider 9.13.3 (npm), Node.js 22 or later.
# Expected: OpenID Connect Discovery 1.0 §3 lists what the provider supports: with response types of code alone, and every client
# held to query and form_post, response_modes_supported has those two, and claims_supported has no claim of sessions while
# logout through the back channel is off.
# Seen: response_modes_supported is a constant with fragment, and claims_supported has sid. A request with
# response_mode=fragment is refused. The setting `discovery` cannot mend that: it adds members and changes none, so that a
# middleware has to.
#
# Needs npm and Node.js 22 or later. Exits with 1 once the document lists less.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund oidc-provider@9.13.3 >/dev/null

cat >provider.mjs <<'PROGRAM'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const issuer = `http://127.0.0.1:${server.address().port}`
const redirect = 'https://app.example/callback'
const provider = new Provider(issuer, {
  responseTypes: ['code'],
  clients: [
    {
      ...{ client_id: 'app', client_secret: 'secret', redirect_uris: [redirect] },
      ...{ response_types: ['code'], response_modes: ['query', 'form_post'] },
    },
  ],
  discovery: { response_modes_supported: ['query', 'form_post'] },
})
server.on('request', provider.callback())

const document = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()
const { response_modes_supported: modes, claims_supported: claims } = document
const asked = new URLSearchParams({
  ...{ client_id: 'app', redirect_uri: redirect, response_type: 'code', scope: 'openid', response_mode: 'fragment' },
  ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
})
const answer = await fetch(`${issuer}/auth?${asked}`, { redirect: 'manual' })
const location = answer.headers.get('location') ?? ''
const error = new URLSearchParams(location.slice(location.indexOf('#') + 1)).get('error_description')
console.log('response_modes_supported', modes, 'claims_supported', claims)
console.log('response_mode=fragment:', error)
server.close()
server.closeAllConnections()
process.exitCode = modes.includes('fragment') && claims.includes('sid') && error !== null ? 0 : 1
PROGRAM
node provider.mjs 2>/dev/null
