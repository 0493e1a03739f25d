import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { hostFault } from './host-fault.ts'
import { requestIdOf } from './request-id.ts'

/** Who sent a request, as its route would know them. */
export type EarlySender = { readonly ip: string; readonly raw: IncomingMessage }

/** A POST that mostly has one same answer, which its route would give as well. Texts are JSON in ASCII. */
export type EarlyRoute = {
  /** The answer, if the headers are enough for it; undefined leaves the request to its route. */
  readonly ofHeaders: (message: IncomingMessage) => string | 'needs body' | undefined
  /** The answer, where the whole body has come together with its headers. */
  readonly ofBody: (body: Buffer, sender: EarlySender) => string | undefined
}

type OnAnswered = (route: string, durationMs: number) => void

export type EarlyAnswers = {
  /** `path` has no parameters, and a route of its own. */
  readonly add: (path: string, route: EarlyRoute) => void
  /** Called after every answer to a POST that was given here. */
  readonly whenAnswered: (callback: OnAnswered) => void
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly earlyAnswers: EarlyAnswers
  }
}

type Settings = {
  /** Of a request that the framework has not seen yet. */
  addressOf: (message: IncomingMessage) => string
  /** Requests are logged one by one by the framework alone. */
  isEachLogged: () => boolean
}

const commonHeaders = [
  ...['content-type', 'application/json', 'cache-control', 'no-store', 'x-content-type-options', 'nosniff'],
]

/**
 * Answers what a fleet asks most before the framework begins: a third of its time a request. Nothing is waited for here,
 * neither a body nor the database, so nobody can hold anything back; whatever is not plain is left to the routes.
 */
export function addEarlyAnswers(app: FastifyInstance, { addressOf, isEachLogged }: Settings): void {
  const routes = new Map<string, EarlyRoute>()
  const callbacks: OnAnswered[] = []
  // The TLS server's type does not say that it has the events of both.
  const server = app.server as Server
  const [serve, ...others] = server.listeners('request') as ((
    message: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  if (!serve || others.length > 0) throw new Error('Only the framework may listen for requests before this')
  server.removeListener('request', serve)
  server.on('request', (message, response) => {
    const ip = addressOf(message)
    const path = message.url ?? ''
    const route = message.method === 'POST' ? routes.get(path) : undefined
    if (!route || isEachLogged() || hostFault(message) !== undefined) return serve(message, response)
    const startedAtMs = performance.now()
    const end = (text: string) => {
      answer(message, response, text)
      for (const callback of callbacks) callback(path, performance.now() - startedAtMs)
    }
    const text = route.ofHeaders(message)
    if (text === undefined) return serve(message, response)
    // Only after this turn of the event loop has the parser passed on what came with the headers. Node takes longer over an
    // answer to a request whose body is still to be thrown away.
    setImmediate(() => {
      const body = takeWholeBody(message)
      if (text !== 'needs body') return end(text)
      const found = body && route.ofBody(body, { ip, raw: message })
      if (found !== undefined) return end(found)
      if (body) message.unshift(body)
      serve(message, response)
    })
  })
  app.decorate('earlyAnswers', {
    add: (path, route) => void routes.set(path, route),
    whenAnswered: (callback) => void callbacks.push(callback),
  })
}

/** Undefined, with nothing taken, as long as the body is not complete. */
const takeWholeBody = (message: IncomingMessage): Buffer | undefined =>
  message.complete && !message.destroyed ? (message.read() ?? undefined) : undefined

function answer(message: IncomingMessage, response: ServerResponse, text: string): void {
  const own = ['content-length', String(text.length), 'x-request-id', requestIdOf(message)]
  response.writeHead(200, [...commonHeaders, ...own])
  response.end(text, 'latin1')
}
