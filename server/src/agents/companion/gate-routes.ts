import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../../base/network-of.ts'

const megabyte = 1024 * 1024
const maxBytes = 64 * megabyte
const maxBytesOfNetwork = 8 * megabyte

/**
 * Bounds what unverified bodies hold in memory, in all and of one network: a request counts with its announced length
 * from its head to the end of its answer's turn to read it. One that does not announce it is refused.
 */
export function bodyGate(scope: FastifyInstance): void {
  const held = new Map<string, number>()
  let total = 0

  scope.addHook('onRequest', (request, _reply, done) => {
    const length = Number(request.headers['content-length'] ?? Number.NaN)
    if (!Number.isSafeInteger(length)) return done(withStatus(411))
    const network = networkOf(request.ip)
    const ofNetwork = held.get(network) ?? 0
    if (total + length > maxBytes || ofNetwork + length > maxBytesOfNetwork) return done(withStatus(503))
    total += length
    held.set(network, ofNetwork + length)
    releaseOnce(request, () => {
      total -= length
      const left = (held.get(network) ?? 0) - length
      if (left > 0) held.set(network, left)
      else held.delete(network)
    })
    done()
  })
}

/** When the body was read, or the connection ended before. */
function releaseOnce({ raw }: FastifyRequest, release: () => void): void {
  let isReleased = false
  const once = () => {
    if (isReleased) return
    isReleased = true
    release()
  }
  raw.once('end', once)
  raw.once('close', once)
}

const withStatus = (statusCode: number) => Object.assign(new Error('refused'), { statusCode })
