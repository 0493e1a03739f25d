import { createServer } from 'node:http'
import { reportToBench } from '../trial/process-report.ts'

/**
 * `GET /<milliseconds>/<loops>` takes turns in so many loops for so long, and answers how many were taken. What `open`
 * makes belongs to one loop.
 */
export function serveTurns(turn: () => Promise<void>): void
export function serveTurns<Own>(turn: (own: Own) => Promise<void>, open: () => Own): void
export function serveTurns(turn: (own: unknown) => Promise<void>, open: () => unknown = () => undefined): void {
  async function loop(endsAt: number): Promise<number> {
    const own = open()
    let taken = 0
    for (; performance.now() < endsAt; taken += 1) await turn(own)
    return taken
  }

  const server = createServer((request, response) => {
    const [, durationMs = 0, loops = 1] = (request.url ?? '').split('/').map(Number)
    const startedAt = performance.now()
    void Promise.all(Array.from({ length: loops }, () => loop(startedAt + durationMs))).then((taken) => {
      const rows = taken.reduce((sum, one) => sum + one, 0)
      const body = JSON.stringify({ rows, seconds: (performance.now() - startedAt) / 1_000 })
      response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    reportToBench(`http://127.0.0.1:${port}`, async () => {})
  })
}
