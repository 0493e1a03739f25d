import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openPage } from './caller-scheme.ts'

const builtFolder = fileURLToPath(new URL('../../../console/dist/', import.meta.url))

type Page = { readonly type: string; readonly bodies: Readonly<Record<'identity' | 'gzip' | 'br', Buffer>> }

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/**
 * The built console under `/console`, kept in memory: only what the build made has an address, so no path leads
 * elsewhere. Every other address is the console's own to make sense of, and gets its page.
 */
export function addConsolePages(
  app: FastifyInstance,
  headers: Readonly<Record<string, string>>,
  { folder = builtFolder, notice }: { folder?: string; notice?: string | undefined } = {},
): void {
  const pages = readPages(folder)
  const built = pages.get('index.html')
  const index = built && notice !== undefined ? withNotice(built, notice) : built
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(headers)
    const path = request.url.split('?', 1)[0]?.replace(/^\/console\/?/, '') ?? ''
    // The endpoints have routes of their own; what is left below their address is nothing.
    if (path === 'api' || path.startsWith('api/')) return reply.callNotFound()
    const page = pages.get(path)
    if (page && path !== 'index.html') {
      reply.header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
      return sendPage(request, reply, page)
    }
    if (path.startsWith('assets/')) return reply.code(404).type('text/plain; charset=utf-8').send('Not found')
    reply.header('cache-control', 'no-cache')
    if (index) return sendPage(request, reply, index)
    return reply.code(503).type('text/html; charset=utf-8').send(notBuilt)
  }
  app.get('/console', { config: openPage }, send)
  app.get('/console/*', { config: { ...openPage, isFallback: true } }, send)
}

/** Whether the console was built; without it its address says how to. */
export const isConsoleBuilt = (): boolean => existsSync(`${builtFolder}index.html`)

function sendPage(request: FastifyRequest, reply: FastifyReply, { type, bodies }: Page) {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'
  reply.type(type).header('vary', 'accept-encoding')
  if (encoding !== 'identity' && bodies[encoding] !== bodies.identity) reply.header('content-encoding', encoding)
  return reply.send(bodies[encoding])
}

/** The page with a line of plain text on top, of which there are no packed files. */
function withNotice({ type, bodies }: Page, notice: string): Page {
  const band = `<body><aside class="demo-band" aria-label="Demo">${notice}</aside>`
  const text = Buffer.from(bodies.identity.toString('utf8').replace('<body>', band))
  return { type, bodies: { identity: text, gzip: text, br: text } }
}

function readPages(folder: string): Map<string, Page> {
  const names = globSync('**/*.{html,js,css,svg,woff2}', { cwd: folder })
  return new Map(
    names.map((name) => {
      const identity = readFileSync(folder + name)
      const packed = (suffix: string) =>
        existsSync(folder + name + suffix) ? readFileSync(folder + name + suffix) : identity
      const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
      return [name, { type, bodies: { identity, gzip: packed('.gz'), br: packed('.br') } }]
    }),
  )
}

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The console is not built · Muster</title></head>
<body>
<h1>The console is not built</h1>
<p>Run <code>npm run build -w console</code> in Muster's folder and start the server again; <code>npm start</code> builds it automatically.</p>
<p>The API works without it: <a href="/docs">its documentation</a>.</p>
</body>
</html>
`
