import { createServer } from 'node:https'
import { reportToBench } from '../trial/process-report.ts'

// A receiver that takes everything and remembers when, by the claim that the bench counts with. `GET /taken` answers
// and forgets what came since the last time.
let taken: [deviceId: string, atMs: number][] = []
const isRemembering = process.env['BENCH_REMEMBER'] === 'yes'

const server = createServer(
  { key: process.env['BENCH_KEY'], cert: process.env['BENCH_CERTIFICATE'], keepAlive: true },
  (request, response) => {
    if (request.method === 'GET') {
      response.end(JSON.stringify(taken))
      taken = []
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (isRemembering) taken.push([deviceOf(Buffer.concat(chunks)), performance.timeOrigin + performance.now()])
      response.writeHead(202, { 'content-length': 0 }).end()
    })
  },
)

/** Of a token of a stream, or of a webhook. */
function deviceOf(body: Buffer): string {
  const text = body.toString('latin1')
  if (text.startsWith('{')) return String(JSON.parse(text).data.device_id)
  const [, payload = ''] = text.split('.')
  const { sub_id: subject } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return subject.device.sub
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  reportToBench(`https://localhost:${port}`, async () => server.closeAllConnections())
})
