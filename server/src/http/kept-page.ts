import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const unpack = promisify(gunzip)

/** What is sent often and never changes: compressed once. */
export const compress = promisify(gzip)

/** Made by the first request and kept; a failure is not. */
export function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Sends what `compress` returned; unpacked for the rare client that does not read gzip, such as bare curl. */
export async function sendCompressed(request: FastifyRequest, reply: FastifyReply, contentType: string, bytes: Buffer) {
  reply.header('content-type', contentType)
  reply.header('cache-control', 'public, max-age=300')
  reply.header('vary', 'accept-encoding')
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return unpack(bytes)
  reply.header('content-encoding', 'gzip')
  return bytes
}
