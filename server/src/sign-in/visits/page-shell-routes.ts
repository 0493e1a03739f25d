import type { FastifyInstance, FastifyReply } from 'fastify'
import { pageHeaders } from '../../http/page/page-headers.ts'
import { type Again, drawFault, drawMessage, type Message } from '../page/draw-page.ts'
import { openAssets } from '../page/page-assets.ts'
import { wordsOfError } from './error-words.ts'
import type { VisitContext } from './visit-context.ts'

const html = 'text/html; charset=utf-8'

export const tooManyWords = ['Too many sign-ins', 'Many sign-ins began from your network. Wait 10 minutes.'] as const

export type PageShell = ReturnType<typeof openPageShell>

/** How a page of a sign-in is sent, whatever is on it: its headers, files, and faults. */
export function openPageShell(scope: FastifyInstance, { notice, ports }: VisitContext) {
  const { assets: own, files } = openAssets()
  const assets = { ...own, notice }
  const headers = {
    ...pageHeaders({
      ...{ 'script-src': "'self'", 'style-src': "'self'", 'font-src': "'self'", 'img-src': "'self'" },
      'connect-src': ["'self'", ...ports.map((port) => `http://127.0.0.1:${port}`)].join(' '),
      ...{ 'require-trusted-types-for': "'script'", 'trusted-types': 'muster-region' },
      // An application's way back leads over hosts of its own.
      forms: 'anywhere',
    }),
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  }

  const send = (reply: FastifyReply, body: string): FastifyReply => reply.headers(headers).type(html).send(body)

  const drawFaultPage = (title: string, text: string, again?: Again): string => drawFault(title, text, assets, again)

  const message = (reply: FastifyReply, status: number, what: Message): FastifyReply =>
    send(reply.code(status), drawMessage(what, assets))

  const fault = (reply: FastifyReply, status: number, title: string, text: string, again?: Again): FastifyReply =>
    send(reply.code(status), drawFaultPage(title, text, again))

  const tooMany = (reply: FastifyReply, again: Again | undefined): FastifyReply =>
    fault(reply.header('retry-after', '600'), 429, ...tooManyWords, again)

  const gone = (reply: FastifyReply): FastifyReply => fault(reply, 404, 'This sign-in has ended', 'Open the app again.')

  // Of whatever is asked below the address, also where no route is.
  scope.errorPages.push({
    address: '/signin',
    draw: ({ code }, status, isForm) => ({
      headers: { ...headers, 'content-type': html, ...(status >= 500 && { 'retry-after': '5' }) },
      body: drawFaultPage(...wordsOfError(code, status, isForm)),
    }),
  })

  return { assets, files, headers, send, drawFaultPage, message, fault, tooMany, gone }
}
