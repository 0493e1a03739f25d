#!/usr/bin/env bash
# express-openid-connect cannot sign anyone out at a provider that publishes no end_session_endpoint.
#
# Version: express-openid-connect 3.4.0 (npm) with Express 4.22.1, Node.js 22 or later.
# Expected: the endpoint is OPTIONAL (OpenID Connect RP-Initiated Logout 1.0 §2.1), and providers that keep no session have none. With
# `idpLogout: true`, /logout ends the session of the application and leads to its post-logout address, as with `idpLogout: false`.
# Seen: the person gets a 500 of the application, OperationProcessingError: 'authorization server metadata does not contain a valid
# "as.end_session_endpoint"'. A sign-out button that works breaks when the provider stops to publish the endpoint.
#
# Needs npm and Node.js 22 or later. Exits with 1 once /logout leads on.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund express-openid-connect@3.4.0 express@4.22.1 >/dev/null

cat >application.mjs <<'PROGRAM'
import { createServer } from 'node:http'
import express from 'express'
import openid from 'express-openid-connect'

const listening = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)))

let issuer = ''
const provider = createServer((request, response) => {
  if (!request.url.startsWith('/.well-known/openid-configuration')) return response.writeHead(404).end()
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
  )
})
issuer = await listening(provider)

async function signOut(idpLogout) {
  const app = express()
  const server = createServer(app)
  const baseURL = await listening(server)
  app.use(
    openid.auth({
      ...{ issuerBaseURL: issuer, baseURL, clientID: 'app', clientSecret: 'a-secret-of-this-test' },
      ...{ secret: 'a long text that signs the cookies of this test', authRequired: false, idpLogout },
      authorizationParams: { response_type: 'code' },
    }),
  )
  app.use((error, _request, response, _next) => response.status(500).send(`${error.name}: ${error.message}`))
  const reply = await fetch(`${baseURL}/logout`, { redirect: 'manual' })
  const text = await reply.text()
  server.close()
  server.closeAllConnections()
  return `${reply.status} ${reply.status === 302 ? reply.headers.get('location') === baseURL : text}`
}

const seen = { local: await signOut(false), provider: await signOut(true) }
provider.close()
provider.closeAllConnections()
console.log(seen)
const isSame = seen.local === '302 true' && /^500 OperationProcessingError: .*end_session_endpoint/.test(seen.provider)
process.exitCode = isSame ? 0 : 1
PROGRAM
node application.mjs
