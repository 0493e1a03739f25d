import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { openPlace } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { extent } from '../support/soak.ts'
import { peakMegabytes } from './measure-transmission.ts'

const database = testDatabase()
const devices = extent(6, 24)
const rounds = extent(3, 30)
const maxMegabytes = 1_000

const many = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at))

/** Rows of which each has names of its own, which take longest to read. */
const strange = (count: number) => many(count, (row) => ({ [`a${row}`]: 'v', [`b${row}`]: 'v' }))

const inflating = { 'content-encoding': 'gzip' }
const logs = [
  gzipSync(`{"log_type":"result","data":${'['.repeat(3_900_000)}${']'.repeat(3_900_000)}}`),
  gzipSync(`{"log_type":"result","data":["${'x'.repeat(15 * 2 ** 20)}"]}`),
  gzipSync(JSON.stringify({ log_type: 'result', data: strange(60_000) })),
  gzipSync(JSON.stringify({ log_type: 'status', data: many(90_000, () => ({ severity: '2' })) })),
]
const write = Buffer.from(JSON.stringify({ queries: { a: strange(60_000) }, statuses: {} }))

testOnPostgres(
  'a fleet that sends all that it may takes no turn from the device of another organization',
  async (t) => {
    const settings = {
      DATABASE_URL: database.url ?? '',
      MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
      HOST: '127.0.0.1',
    }
    const place = openPlace(t, settings)
    const server = await place.start(['serve'])
    const enroll = async (organizationId: string, name: string) => {
      const made = await place.run(['enrollment-secrets', 'create', name, '--organization', organizationId])
      const secret = made.out.trim().split(/\s+/).at(-1) ?? ''
      return (serial: string) => {
        const client = osqueryClient(server.origin)
        t.after(() => client.close())
        return client.enroll(secret, { serial, uuid: `${serial}-1-1-1-1` }).then(() => client)
      }
    }
    const organizations = await Promise.all(
      ['Alpha', 'Beta'].map(async (name) => (await place.run(['organizations', 'create', name])).out.trim()),
    )
    const [ofAlpha, ofBeta] = await Promise.all(organizations.map((id) => enroll(id, 'Laptops')))
    assert.ok(ofAlpha && ofBeta)
    const fleet = await Promise.all(many(devices, (at) => ofAlpha(`A${at}`)))
    const other = await ofBeta('B1')

    let isOver = false
    const flood = fleet.flatMap((client, at) =>
      many(2, async (half) => {
        for (let turn = at; !isOver; turn += 1) {
          if (half === 0) await client.call('/log', logs[turn % logs.length] ?? write, inflating)
          else await client.call('/distributed/write', write)
        }
      }),
    )
    const rows = many(200, (row) => ({ name: 'x', action: 'added', columns: { row: `${row}` } }))
    const statuses = new Set<number>()
    for (let round = 0; round < rounds; round += 1) {
      statuses.add((await other.log('result', rows)).status)
      statuses.add((await other.read()).verdict.status)
      statuses.add((await server.ask('GET', '/livez')).status)
    }
    isOver = true
    await Promise.allSettled(flood)
    assert.deepEqual([...statuses], [200])
    const megabytes = await peakMegabytes(server.pid)
    t.diagnostic(`${devices} devices; the server had ${megabytes} MB at most`)
    assert.ok(megabytes < maxMegabytes, `${megabytes} MB`)
  },
)
