import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isRecord } from './agent-answer.ts'

export type ReceivedRequest = { path: string; authorization: string | undefined; body: Record<string, unknown> }

export type TrialServer = {
  url: string
  /** In order of arrival. */
  received: ReceivedRequest[]
  close: () => Promise<void>
}

/** What the server answers; undefined stands for its usual answer. */
export type TrialAnswers = {
  config?: Record<string, unknown>
  /** Called for each request; its text, if any, is answered as it is, with that status. */
  interfere?: (request: ReceivedRequest) => { status: number; text: string } | undefined
  /** Queries for one distributed read. */
  queriesFor?: (request: ReceivedRequest) => Record<string, string>
  /** Whether to keep what was received; a load run does not want it. */
  keepsRequests?: boolean
}

/** A real HTTP server on the loopback that speaks the server's side of osquery's protocol, for tests. */
export async function startTrialServer(answers: TrialAnswers = {}): Promise<TrialServer> {
  const received: ReceivedRequest[] = []
  let keys = 0
  const answer = (request: ReceivedRequest): string => {
    switch (request.path) {
      case '/api/v1/osquery/enroll':
        keys += 1
        return JSON.stringify({ node_key: `key-${keys}` })
      case '/api/v1/osquery/config':
        return JSON.stringify(answers.config ?? {})
      case '/api/v1/osquery/distributed/read':
        return JSON.stringify({ queries: answers.queriesFor?.(request) ?? {} })
      default:
        return '{}'
    }
  }
  const server = createServer({ keepAliveTimeout: 75_000 }, (incoming, response) => {
    readBody(incoming, (body) => {
      const request = { path: incoming.url ?? '', authorization: incoming.headers.authorization, body }
      if (answers.keepsRequests !== false) received.push(request)
      const { status, text } = answers.interfere?.(request) ?? { status: 200, text: answer(request) }
      send(response, status, text)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server's address is an object
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function readBody(incoming: IncomingMessage, done: (body: Record<string, unknown>) => void) {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    done(isRecord(body) ? body : {})
  })
}

function send(response: ServerResponse, status: number, text: string) {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
