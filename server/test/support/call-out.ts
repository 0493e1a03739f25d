import { readFile } from 'node:fs/promises'
import { guardedFetch } from '../../src/base/outbound/guarded-fetch.ts'
import { openOutbound } from '../../src/base/outbound/outbound.ts'

// A process that calls `PORT` of this machine in each of the ways that the product has, and once in the way that the
// variables of a proxy change. Prints what came of each.

const { PORT, CERTIFICATE = '' } = process.env
const url = `https://receiver.test:${PORT}/hook`
const extraAuthorities = [await readFile(CERTIFICATE, 'utf8')]
const resolve: Parameters<typeof openOutbound>[0]['resolve'] = (_host, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }])

const outbound = openOutbound({ allowPrivate: true, extraAuthorities, resolve, deadlineMs: 60_000 })
const posted = await outbound.post({ url, headers: {}, body: 'signed' })
await outbound.close()
const fetched = await guardedFetch({ trustedOrigin: url, extraAuthorities, resolve })(url)
const byNode = await fetch(url).then(
  () => 'answered',
  () => 'failed',
)
console.log(
  JSON.stringify({
    posted: posted.kind === 'answered' ? posted.status : posted.message,
    fetched: fetched.status,
    byNode,
  }),
)
process.exit(0)
