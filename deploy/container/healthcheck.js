// Whether the container's process still answers, as its image's health check: exit code 0 or 1. It asks the worker where the
// container runs one, and with TLS where Muster has a certificate, which it does not judge: it is for another name.
import { readFileSync } from 'node:fs'
import { get as getPlainly } from 'node:http'
import { get as getWithTls } from 'node:https'

const isWorker = readFileSync('/proc/1/cmdline', 'utf8').split('\0').includes('worker')
const { PORT = '8080', MUSTER_WORKER_PORT = '8081', MUSTER_TLS_CERT_FILE } = process.env
const isEncrypted = !isWorker && MUSTER_TLS_CERT_FILE !== undefined
const get = isEncrypted ? getWithTls : getPlainly
const where = {
  host: '127.0.0.1',
  port: isWorker ? MUSTER_WORKER_PORT : PORT,
  path: '/livez',
  rejectUnauthorized: false,
}

get(where, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', ({ message }) => {
  console.error(message)
  process.exit(1)
})
