import type { FastifyInstance, FastifyReply } from 'fastify'
import { orNotFound } from '../../../base/errors.ts'
import type { CallerScheme } from '../../../http/caller-scheme.ts'
import { type FilePart, sizeOf, streamOf } from '../file-parts.ts'
import { packagesFolder } from '../packages-folder.ts'
import { openPart } from './open-part.ts'
import { partPath } from './part-path.ts'
import { shareAnswers } from './share-answers.ts'

/** By the hash of what they fetch, which only those know who have a package. */
const partHashes: CallerScheme = { name: 'part_hash', kinds: ['foreign'] }
const config = { scheme: partHashes, kind: 'foreign', origin: 'any', isChatty: true } as const

/** What the scripts for Macs fetch: without a secret, the same for every organization, and never another for the same hash. */
export function partRoutes(app: FastifyInstance): void {
  const { db, config: settings, clock } = app.kit
  const share = shareAnswers(clock)
  const folder = () => packagesFolder(settings.dataDir)
  app.get<{ Params: { sha256: string } }>(`${partPath}/:sha256`, { config }, async (request, reply) => {
    const { sha256 } = request.params
    share.admit(request.ip)
    const part = orNotFound(/^[0-9a-f]{64}$/.test(sha256) ? await openPart(db, folder, sha256) : undefined)
    const { raw } = reply
    // Nothing would tell of the leaving of one who left meanwhile, and give back their place.
    if (raw.destroyed) return reply.hijack()
    if (request.method !== 'HEAD') raw.once('close', share.take(request.ip, { end: () => void raw.destroy() }))
    return send(reply, part, sha256)
  })
}

function send(reply: FastifyReply, part: FilePart, sha256: string): FastifyReply {
  reply.headers({
    'content-type': 'application/gzip',
    'content-length': sizeOf([part]),
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${sha256}"`,
  })
  return reply.send(streamOf([part]))
}
