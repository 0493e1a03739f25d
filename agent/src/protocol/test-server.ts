import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { path: string; body: Record<string, unknown>; headers: IncomingMessage['headers'] }

/** A status and body to answer with, or 'hang up' to break the connection without an answer. */
export type Answer = { status?: number; body: string } | 'hang up'

/** A small HTTP server that speaks the agent's protocol, for tests: it records requests and says what it is told. */
export async function openTestServer(answer: (received: Received, count: number) => Answer | object) {
  const received: Received[] = []
  const server = createServer((request, response) => void reply(request, response))
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = await request.toArray()
    const path = (request.url ?? '').replace('/api/v1/osquery/', '')
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
    const entry = { path, body, headers: request.headers }
    received.push(entry)
    const said = answer(entry, received.filter((each) => each.path === path).length)
    if (said === 'hang up') return void request.socket.destroy()
    const { status = 200, body: text } =
      'body' in said ? (said as { status?: number; body: string }) : { body: JSON.stringify(said) }
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    of: (path: string) => received.filter((each) => each.path === path),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
