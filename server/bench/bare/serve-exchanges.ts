import { generateKeyPairSync, randomUUID, sign as signCallback } from 'node:crypto'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import { reportToBench } from '../trial/process-report.ts'
import { openRows } from './open-rows.ts'

// The least that as many requests as a sign-in has could cost: a framework that answers each, with one signature of an ID
// token and one row in the last of them.
const sign = promisify(signCallback)
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const content = Buffer.from(`${randomUUID()}.${'x'.repeat(600)}`)
const insert = {
  name: 'insert',
  text: 'insert into bench_exchanges (at, content) values (now(), $1::jsonb)',
}
const rows = await openRows(process.env)
const app = Fastify()
app.get('/step', async () => ({ state: 'passed' }))
app.post('/step', async () => ({ state: 'passed' }))
app.post('/token', async () => {
  const signature = await sign('RSA-SHA256', content, privateKey)
  await rows.query(insert, [JSON.stringify({ code: randomUUID() })])
  return { id_token: signature.toString('base64url') }
})
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
reportToBench(origin, async () => {
  await app.close()
  await rows.close()
})
