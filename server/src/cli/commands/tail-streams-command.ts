import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { findStream, listStreams, type Stream } from '../../signals/streams/queries.ts'
import { tokenSigner } from '../../signals/streams/token-signer.ts'
import type { Run } from '../describe-commands.ts'
import { organizationOf } from '../organization-of.ts'
import { describeEvent, eventAsJson, verifyEvents } from '../streams/describe-event.ts'
import { followStream } from '../streams/follow-stream.ts'
import type { streamGroup } from './stream-group.ts'

const lookEveryMs = 500
const maxStreams = 100

export const tailStreams: Run<typeof streamGroup.commands.tail> = async (
  { connection: { db }, secrets, config, now },
  { organization, stream, last, json: isJson = false },
  io,
) => {
  const { id: organizationId } = await organizationOf(db, organization)
  const issuer = { db, signer: tokenSigner(db, secrets), baseUrl: config.baseUrl }
  const followers = new Map<string, ReturnType<typeof followStream>>()
  const describe = isJson ? eventAsJson : describeEvent
  let lastOfNew = last
  while (!io.signal.aborted) {
    for (const followed of await listFollowed(db, organizationId, stream, now)) {
      const follow = followers.get(followed.id) ?? followStream(db, followed, lastOfNew)
      followers.set(followed.id, follow)
      for (const event of await verifyEvents(issuer, followed, await follow())) {
        await io.line(describe(followed, event))
      }
    }
    // All that a stream says that is made from now on is new.
    lastOfNew = 1_000
    await pause(lookEveryMs, undefined, { signal: io.signal }).catch(() => {})
  }
}

async function listFollowed(db: Db, organizationId: string, reference: string | undefined, now: string) {
  if (reference !== undefined) return [orNotFound(await findStream(db, organizationId, reference))]
  const page = { organizationId, params: {}, search: undefined, after: undefined, limit: maxStreams, now } as const
  const streams: Stream[] = await listStreams(db, { ...page, order: 'descending' })
  return streams.toReversed()
}
