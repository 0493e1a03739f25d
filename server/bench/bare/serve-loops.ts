import { createServer } from 'node:http'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { connectEmbedded } from '../../src/base/db/connect.ts'
import { transact } from '../../src/base/db/transact.ts'
import { embeddedFolder } from '../../src/open-deployment.ts'
import { reportToBench } from '../trial/process-report.ts'

type Writes = { statement: string; rowsPerTurn: number; nextValues: () => unknown[] }
type Store = { write(values: unknown[]): Promise<void>; close(): Promise<void> }

/**
 * Transactions of one statement, some loops at once: `GET /<milliseconds>/<loops>` runs them for so long and answers
 * how many rows they wrote.
 */
export async function serveLoops({ statement, rowsPerTurn, nextValues }: Writes): Promise<void> {
  const store = await openStore(statement)

  async function loop(endsAt: number): Promise<number> {
    let written = 0
    for (; performance.now() < endsAt; written += rowsPerTurn) await store.write(nextValues())
    return written
  }

  const server = createServer((request, response) => {
    const [, durationMs = 0, loops = 1] = (request.url ?? '').split('/').map(Number)
    const startedAt = performance.now()
    void Promise.all(Array.from({ length: loops }, () => loop(startedAt + durationMs))).then((written) => {
      const rows = written.reduce((sum, one) => sum + one, 0)
      const body = JSON.stringify({ rows, seconds: (performance.now() - startedAt) / 1000 })
      response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    reportToBench(`http://127.0.0.1:${port}`, () => store.close())
  })
}

async function openStore(statement: string): Promise<Store> {
  const url = process.env['DATABASE_URL']
  if (url === undefined) {
    const { db, close } = await connectEmbedded({ dataDir: embeddedFolder(process.env['MUSTER_DATA_DIR'] ?? '') })
    const write = async (values: unknown[]) =>
      transact(db, async (tx) => void (await tx.executeQuery(CompiledQuery.raw(statement, values))))
    return { write, close }
  }
  const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c jit=off' })
  return {
    async write(values) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query({ name: 'write', text: statement, values })
        await client.query('commit')
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}
