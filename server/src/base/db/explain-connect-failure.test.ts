import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'
import { connectPostgres } from './connect.ts'

type Identity = { cert: string; private: string }

const folder = mkdtempSync(join(tmpdir(), 'muster-tls-'))
const opened: net.Server[] = []
let identity: Identity

before(async () => {
  identity = await generate([{ name: 'commonName', value: 'db.example.com' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'db.example.com' }] }],
  })
})

after(() => {
  for (const server of opened) server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A server that answers as PostgreSQL to who asks for TLS, and then speaks TLS; or has none. */
async function openServer(offersTls: boolean): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(offersTls ? 'S' : 'N')
      if (!offersTls) return
      const secured = new TLSSocket(socket, { isServer: true, cert: identity.cert, key: identity.private })
      secured.on('error', () => {})
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  opened.push(server)
  return `postgres://muster@127.0.0.1:${(server.address() as AddressInfo).port}/muster`
}

test('a certificate of an authority that is not trusted says where to name it', async () => {
  const url = `${await openServer(true)}?sslmode=verify-full`
  await assert.rejects(
    connectPostgres({ url }),
    /add sslrootcert=\/path\/to\/ca\.pem to DATABASE_URL\. See .* in docs\/operating/,
  )
})

test('a certificate for another host name says so', async () => {
  const file = join(folder, 'ca.pem')
  writeFileSync(file, identity.cert)
  const url = `${await openServer(true)}?sslmode=verify-full&sslrootcert=${file}`
  await assert.rejects(connectPostgres({ url }), /for another host name: use that name in DATABASE_URL/)
})

test('a server without TLS says so', async () => {
  const url = `${await openServer(false)}?sslmode=verify-full`
  await assert.rejects(connectPostgres({ url }), /does not offer TLS: turn it on there, or leave sslmode out/)
})
