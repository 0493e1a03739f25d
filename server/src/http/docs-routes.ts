import { randomBytes } from 'node:crypto'
import { apiVersions } from '@muster/contract/versions.ts'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { openPage } from './caller-scheme.ts'
import { whoReads } from './console-address.ts'
import { addGuides } from './guide-routes.ts'
import { compress, kept, sendCompressed } from './kept-page.ts'
import { buildDocument } from './openapi/build-document.ts'
import { pageHeaders } from './page/page-headers.ts'

const specifications = '/openapi_specifications'

/**
 * `/openapi/<version>.json` for programs, listed at `/openapi_specifications`; for people the reference at `/docs` and the
 * guides below it, complete without any other host.
 */
export function addDocs(app: FastifyInstance): void {
  const { operations, config: settings } = app.kit
  for (const version of apiVersions) {
    const document = kept(async () => compress(JSON.stringify(buildDocument(operations, version, settings.baseUrl))))
    for (const address of [`/openapi/${version}.json`, `${specifications}/${version}`]) {
      app.get(address, { config: openPage }, async (request, reply) =>
        sendCompressed(request, reply, 'application/json; charset=utf-8', await document()),
      )
    }
  }
  // Programs of this API family look here for the documents.
  app.get(specifications, { config: openPage }, async () => {
    const data = apiVersions.map((version) => ({
      version,
      spec_url: `${settings.baseUrl}${specifications}/${version}`,
    }))
    return { data, pagination: { next: '', current_cursor: '', next_cursor: '', count: data.length } }
  })
  // A browser at the bare address has a person before it, anything else a programmer behind it.
  app.get('/', { config: openPage }, async (request, reply) => {
    return reply.header('vary', 'accept').redirect(whoReads(request.headers) === 'person' ? '/console' : '/docs')
  })
  addGuides(app)
  app.get('/docs', { config: openPage }, async (_request, reply) => sendPage(reply))
  app.get('/docs/start.js', { config: openPage }, async (_request, reply) => {
    reply.header('content-type', 'text/javascript; charset=utf-8')
    return startScript
  })
  const reference = kept(async () => compress(await readReferenceScript()))
  app.get('/docs/reference.js', { config: openPage }, async (request, reply) =>
    sendCompressed(request, reply, 'text/javascript; charset=utf-8', await reference()),
  )
}

/**
 * The package keeps its browser script behind a plugin, and takes a third of a second to load: so it is loaded for the
 * first reader only, into a server that never listens.
 */
async function readReferenceScript(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const carrier = Fastify()
  await carrier.register(plugin, { routePrefix: '/', configuration: { content: {} } })
  const { rawPayload } = await carrier.inject('/js/scalar.js')
  await carrier.close()
  return rawPayload
}

function sendPage(reply: FastifyReply): string {
  const nonce = randomBytes(16).toString('base64')
  reply.header('content-type', 'text/html; charset=utf-8')
  reply.headers(
    pageHeaders({
      ...{ 'script-src': "'self'", 'style-src': `'self' 'nonce-${nonce}'`, 'style-src-attr': "'unsafe-inline'" },
      ...{ 'img-src': "'self' data:", 'font-src': "'self' data:", 'connect-src': "'self'" },
    }),
  )
  return page(nonce)
}

const page = (nonce: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Muster API</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta property="csp-nonce" nonce="${nonce}" content="${nonce}">
  </head>
  <body>
    <div id="app"></div>
    <noscript>This page needs JavaScript; <a href="/openapi/${apiVersions[0]}.json">the document it shows</a> does not.</noscript>
    <script src="/docs/reference.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const reference = {
  sources: apiVersions.map((version) => ({ title: version, slug: version, url: `/openapi/${version}.json` })),
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
}

const startScript = `Scalar.createApiReference('#app', ${JSON.stringify(reference)})\n`
