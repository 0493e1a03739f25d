import { setTimeout as pause } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import type { MusterProcess } from '../../support/muster-process.ts'
import { digestOf, type ReceiverLog } from './arrival.ts'
import type { Seeded } from './seeded.ts'

type Parts = {
  chance: Seeded
  /** The processes that answer now, as far as anyone knows. */
  servers: () => readonly MusterProcess[]
  key: string
  pollToken: string
}

type Due = { ack: string[]; setErrs: Record<string, { err: string }> }

/** A poll that took longer was most likely held until there was something. */
const heldMs = 1_000

const nothing = (): Due => ({ ack: [], setErrs: {} })

/** A receiver that polls through whichever process answers, and is now and then gone with what it had not acknowledged. */
export function openPollReceiver(streamId: string, uuid: string, { chance, servers, key, pollToken }: Parts) {
  const log: ReceiverLog = { id: streamId, kind: 'poll', arrivals: [], faults: [] }
  const acknowledged = new Set<string>()
  const path = `/ssf_streams/${uuid}/events`
  const headers = { 'x-service-poll-bearer-token': pollToken }
  const counts = { polls: 0, held: 0, crashes: 0, unanswered: 0, statuses: new Map<number, number>() }

  async function ask(method: 'GET' | 'POST', body?: object): Promise<Record<string, string> | undefined> {
    const alive = servers()
    if (alive.length === 0) return undefined
    counts.polls += 1
    const askedAt = performance.now()
    const answer = await chance
      .pick(alive)
      .ask(method, path, { key, headers, body })
      .catch(() => undefined)
    if (!answer) counts.unanswered += 1
    if (answer && performance.now() - askedAt > heldMs) counts.held += 1
    if (answer) counts.statuses.set(answer.status, (counts.statuses.get(answer.status) ?? 0) + 1)
    if (answer?.status === 429) await pause(1_000)
    if (answer?.status !== 200) return undefined
    const sets: Record<string, string> = answer.body.sets
    for (const jti of Object.keys(sets))
      if (acknowledged.has(jti)) log.faults.push(`${jti} came after its acknowledgement`)
    return sets
  }

  const isEmpty = ({ ack, setErrs }: Due): boolean => ack.length === 0 && Object.keys(setErrs).length === 0
  const settle = ({ ack, setErrs }: Due): void => {
    for (const jti of [...ack, ...Object.keys(setErrs)]) acknowledged.add(jti)
  }

  /** Takes in what came; what is rejected was so from the first time on. */
  function takeIn(sets: Record<string, string>, isCalm: boolean): Due {
    const due = nothing()
    for (const [jti, token] of Object.entries(sets)) {
      const isRejected = !isCalm && chance.isLikely(0.01)
      const txn = String(decodeJwt(token)['txn'])
      log.arrivals.push({ jti, txn, digest: digestOf(token), what: isRejected ? 'rejected' : 'taken' })
      if (isRejected) due.setErrs[jti] = { err: 'invalid_request' }
      else due.ack.push(jti)
    }
    return due
  }

  /** One poll, with what was taken in before; resolves to what is to be acknowledged next. */
  async function round(due: Due, isCalm: boolean): Promise<Due> {
    const maxEvents = chance.between(1, 200)
    const said = isEmpty(due) ? {} : due
    const way = chance.between(0, 3)
    if (way === 0 && !isEmpty(due)) {
      if (await ask('POST', due)) settle(due)
      else return due
      return nothing()
    }
    if (way === 1 && isEmpty(due)) return takeIn((await ask('GET')) ?? {}, isCalm)
    const isHeld = way === 2 && !isCalm
    const sets = await ask('POST', { ...said, maxEvents, ...(!isHeld && { returnImmediately: true }) })
    if (!sets) return due
    settle(due)
    for (const jti of Object.keys(sets))
      if (acknowledged.has(jti)) log.faults.push(`${jti} came with its acknowledgement`)
    return takeIn(sets, isCalm)
  }

  return {
    log,
    counts,
    /** Until `isOver`; afterwards calmly until `isDone`. */
    async run(isOver: () => boolean, isDone: () => boolean): Promise<void> {
      let due = nothing()
      while (!isDone()) {
        due = await round(due, isOver())
        if (!isOver() && chance.isLikely(0.08)) {
          counts.crashes += 1
          due = nothing()
        }
        await pause(chance.between(150, 400))
      }
    },
  }
}
