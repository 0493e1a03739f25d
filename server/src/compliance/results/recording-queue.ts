import type { Recording } from './record-results.ts'

export type Waiting<Answer> = {
  recording: Recording
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

type OfOrganization<Answer> = {
  waiting: Waiting<Answer>[]
  /** The devices that are being recorded: what else comes from them waits, so that it comes in its order. */
  busy: Set<string>
  batches: number
}

/** Their devices are locked until the commit, so a batch stays a matter of milliseconds. */
const devicesTogether = 32
const resultsTogether = 2_000
/** More than one, so that the database has work while a commit is on its way to the disk. */
const batchesOfOrganization = 2
const maxWaiting = 8_192
const maxOfOrganization = 2_048

/**
 * What waits to be recorded. Organizations take turns, a batch each, and each may have two batches under way and a
 * quarter of the places, so that what one of them floods in costs the others no more than a turn.
 */
export function recordingQueue<Answer>() {
  // In the order of their turns; without those that have neither anything waiting nor under way.
  const organizations = new Map<string, OfOrganization<Answer>>()
  let size = 0

  /** False: there is no room. */
  function add(one: Waiting<Answer>): boolean {
    const { organizationId } = one.recording
    const own = organizations.get(organizationId) ?? { waiting: [], busy: new Set(), batches: 0 }
    if (size >= maxWaiting || own.waiting.length >= maxOfOrganization) return false
    own.waiting.push(one)
    organizations.set(organizationId, own)
    size += 1
    return true
  }

  /** The next batch, of one organization, each device once; undefined when nothing can be taken now. */
  function take(): Waiting<Answer>[] | undefined {
    for (const [organizationId, own] of organizations) {
      const batch = own.batches < batchesOfOrganization ? takeOf(own) : []
      if (batch.length === 0) continue
      size -= batch.length
      organizations.delete(organizationId)
      organizations.set(organizationId, own)
      return batch
    }
    return undefined
  }

  /** Gives back the places of a batch that has been answered. */
  function end(batch: readonly Waiting<Answer>[]): void {
    const organizationId = batch[0]?.recording.organizationId ?? ''
    const own = organizations.get(organizationId)
    if (!own) return
    own.batches -= 1
    for (const { recording } of batch) own.busy.delete(recording.deviceId)
    if (own.batches === 0 && own.waiting.length === 0) organizations.delete(organizationId)
  }

  return { add, take, end, size: (): number => size }
}

function takeOf<Answer>(own: OfOrganization<Answer>): Waiting<Answer>[] {
  const batch: Waiting<Answer>[] = []
  // Whatever is passed over keeps what comes later from the same device behind it.
  const passedOver = new Set(own.busy)
  let results = 0
  own.waiting = own.waiting.filter((one) => {
    const { deviceId, runs } = one.recording
    const fits = batch.length === 0 || (batch.length < devicesTogether && results + runs.length <= resultsTogether)
    if (passedOver.has(deviceId) || !fits) {
      passedOver.add(deviceId)
      return true
    }
    passedOver.add(deviceId)
    batch.push(one)
    results += runs.length
    return false
  })
  if (batch.length > 0) own.batches += 1
  for (const { recording } of batch) own.busy.add(recording.deviceId)
  return batch
}
