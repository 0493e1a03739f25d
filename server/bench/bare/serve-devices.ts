import { createServer } from 'node:http'
import { reportToBench } from '../trial/process-report.ts'
import { deviceStatements } from './device-statements.ts'
import { connections, openRows } from './open-rows.ts'

// The least that could answer a page of devices: node:http, one named statement, JSON.stringify. No key, no limit.
const rows = await openRows(process.env)
const organizationId = process.env['BENCH_ORGANIZATION'] ?? ''

function pageOf(url: string) {
  const [, shape = '', value = ''] = url.split('/')
  if (shape === 'first') return rows.query(deviceStatements.first, [organizationId])
  return rows.query(shape === 'after' ? deviceStatements.after : deviceStatements.search, [organizationId, value])
}

const server = createServer((request, response) => {
  pageOf(request.url ?? '').then(
    (data) => {
      const body = JSON.stringify({ data })
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.end(body)
    },
    () => {
      response.writeHead(500, { 'content-length': 0 })
      response.end()
    },
  )
})

server.maxConnections = connections * 100
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  reportToBench(`http://127.0.0.1:${port}`, async () => {
    server.closeAllConnections()
    await rows.close()
  })
})
