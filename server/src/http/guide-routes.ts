import { readFile } from 'node:fs/promises'
import { type GuideName, guideGroups } from '@muster/contract/guides.ts'
import type { FastifyInstance } from 'fastify'
import { fail } from '../base/errors.ts'
import { openPage } from './caller-scheme.ts'
import { guidePage, guideStyle } from './guide-page.ts'
import { compress, kept, sendCompressed } from './kept-page.ts'
import { pageHeaders } from './page/page-headers.ts'

const root = new URL('../../../', import.meta.url)
/** Those that are not `docs/<name>.md`, with a folder for what follows `sign-in-`. */
const elsewhere: Readonly<Record<string, string>> = {
  readme: 'README.md',
  security: 'SECURITY.md',
}

export const guideNames = guideGroups.flatMap(({ guides }) => Object.keys(guides)) as GuideName[]

/** Where the text of a guide is. */
export const guideFile = (name: GuideName): URL =>
  new URL(elsewhere[name] ?? `docs/${name.replace(/^sign-in-/, 'sign-in/')}.md`, root)

/** The guides of docs/ as pages, so that an installation explains itself without the internet. */
export function addGuides(app: FastifyInstance): void {
  const pages = new Map(
    guideNames.map((name) => {
      const page = kept(async () => compress(guidePage(name, await readFile(guideFile(name), 'utf8'))))
      return [name, page] as const
    }),
  )
  app.get('/docs/guides', { config: openPage }, async (_request, reply) => reply.redirect('/docs/guides/readme'))
  app.get<{ Params: { name: string } }>('/docs/guides/:name', { config: openPage }, async (request, reply) => {
    const page = pages.get(request.params.name as GuideName) ?? fail('not_found')
    reply.headers(pageHeaders({ 'style-src': "'self'", 'img-src': "'self'" }))
    return sendCompressed(request, reply, 'text/html; charset=utf-8', await page())
  })
  app.get('/docs/guides.css', { config: openPage }, async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=300')
    return reply.type('text/css; charset=utf-8').send(guideStyle)
  })
  app.get<{ Params: { name: string } }>('/docs/images/:name', { config: openPage }, async (request, reply) => {
    const { name } = request.params
    if (!/^[a-z-]{1,60}\.png$/.test(name)) fail('not_found')
    const bytes = await readFile(new URL(`docs/images/${name}`, root)).catch(() => fail('not_found'))
    reply.header('cache-control', 'public, max-age=300')
    return reply.type('image/png').send(bytes)
  })
}
