import { type ChangeContext, newChange, type RequestSource, systemActorAt } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { networkOf } from '../../base/network-of.ts'
import { askForLink, askForLinkAgain } from '../companion-keys/ask-for-link.ts'
import { companionPorts } from '../companion-keys/companion-ports.ts'
import { continueAsRival } from '../companion-keys/confirm-links.ts'
import { isKnownEpoch, isOfRival } from '../companion-keys/epoch-rules.ts'
import { endLink, linkCompanion } from '../companion-keys/link-companion.ts'
import { judgeLink, secondsToNextCheckIn } from '../companion-keys/link-rules.ts'
import { noteRival } from '../companion-keys/note-epoch.ts'
import {
  type CompanionKey,
  findCompanionKey,
  findDeviceOfHardware,
  findDeviceOfNodeKey,
} from '../companion-keys/queries.ts'
import type { CheckIn } from '../companion-keys/use-nonce.ts'
import type { Answer } from '../protocol/answers.ts'
import { success } from '../protocol/answers.ts'
import { nodeKeyPurpose } from '../protocol/node-key.ts'
import { refusals } from './companion-answers.ts'
import type { CompanionContext } from './companion-context.ts'
import { type DueQuery, dueQueries } from './due-queries.ts'
import { type Fields, textOf } from './signed-request.ts'

const maxWaitSeconds = 25

/** What a check-in says: which program, where it listens, with which epoch, and how long it waits for news. */
export type CheckInFields = CheckIn & { waitSeconds: number; nodeKey: string; isStart: boolean }

export function readCheckIn(fields: Fields, ip: string): CheckInFields {
  const { port, taken_ports: taken, wait_seconds: wait, epoch } = fields
  return {
    agentVersion: textOf(fields['agent_version'], 40),
    port: companionPorts.find((known) => known === port) ?? null,
    takenPorts: companionPorts.filter((known) => Array.isArray(taken) && taken.includes(known)),
    epoch: typeof epoch === 'string' ? textOf(epoch, 100) : null,
    network: networkOf(ip),
    waitSeconds: typeof wait === 'number' && wait > 0 ? Math.min(maxWaitSeconds, wait) : 0,
    nodeKey: textOf(fields['node_key']),
    isStart: fields['is_start'] === true,
  }
}

type Arrival = { checkIn: CheckInFields; source: RequestSource; signal: AbortSignal }

/**
 * Answers a check-in whose nonce was used up: at once, or when there is something to run or the time that the companion
 * waits is over. `before` is the key as it was found, `key` with what the check-in has changed.
 */
export async function takeCheckIn(
  context: CompanionContext,
  { before, key }: { before: CompanionKey; key: CompanionKey },
  { checkIn, source, signal }: Arrival,
): Promise<Answer> {
  if (isOfRival(before, checkIn.epoch)) return takeRival(context, { before, key }, checkIn, source)
  const settled = await settleKey(context, { before, key }, checkIn, source)
  if (!settled) return refusals.unknownKey
  // While two companions contend for the key, neither speaks for the device.
  const deviceId = settled.status === 'linked' && settled.contest_ends_at === null ? settled.living_device_id : null
  if (deviceId === null) return answerCheckIn(context, { key: settled, epoch: key.epoch }, [])
  const place = { organizationId: settled.organization_id, deviceId }
  const due = await dueOrWait(context, { kid: settled.kid, ...place }, checkIn.waitSeconds, signal)
  if (due !== undefined) return answerCheckIn(context, { key: settled, epoch: key.epoch }, due)
  // Neither the connection nor the key may be there anymore.
  const current = signal.aborted ? undefined : await findCompanionKey(context.db, settled.kid)
  if (!current) return refusals.unknownKey
  // Meanwhile the other one of two companions with this key may have been confirmed.
  if (!isKnownEpoch(current, key.epoch)) return refusals.busy
  const isLinked = current.status === 'linked' && current.living_device_id === deviceId
  const isAlone = isLinked && current.contest_ends_at === null
  return answerCheckIn(context, { key: current, epoch: key.epoch }, isAlone ? await dueQueries(context, place) : [])
}

/** What there is to run now; undefined after a wait for news. It listens first, so that no notice falls between the two. */
async function dueOrWait(
  context: CompanionContext,
  device: { kid: string; organizationId: string; deviceId: string },
  seconds: number,
  signal: AbortSignal,
): Promise<DueQuery[] | undefined> {
  if (seconds === 0) return dueQueries(context, device)
  const answered = new AbortController()
  const news = context.waits.waitForNews(device, seconds, AbortSignal.any([signal, answered.signal]))
  try {
    const due = await dueQueries(context, device)
    if (due.length > 0) return due
    await news
    return undefined
  } finally {
    answered.abort()
  }
}

/** A second companion with a key is asked for a file of its own, and for nothing else until that is confirmed. */
async function takeRival(
  context: CompanionContext,
  { before, key }: { before: CompanionKey; key: CompanionKey },
  { epoch, nodeKey }: CheckInFields,
  source: RequestSource,
): Promise<Answer> {
  const { agents, db } = context
  const change = newChange(systemActorAt(source), key.organization_id, agents.clock())
  const isLinked = await transact(db, async (tx) => {
    await noteRival(tx, { before, key }, epoch, change.now)
    const isAnswering = agents.isTrial && key.rival_link_name !== null && nodeKey !== ''
    return isAnswering && linkByNodeKey(context, tx, { key, isRival: true, nodeKey }, change)
  })
  const current = isLinked ? await findCompanionKey(db, key.kid) : undefined
  if (current) return answerCheckIn(context, { key: current, epoch: key.rival_epoch ?? '' }, [])
  const asRival: CompanionKey = { ...key, status: 'linking', link_name: key.rival_link_name }
  return answerCheckIn(context, { key: asRival, epoch: key.rival_epoch ?? '' }, [])
}

/** The answer to an enrollment, with the nonce of the next request. */
export async function answerEnrolled(context: CompanionContext, kid: string): Promise<Answer & { nonce?: string }> {
  const key = await findCompanionKey(context.db, kid)
  return key
    ? { ...(await answerCheckIn(context, { key, epoch: key.epoch }, [])), nonce: key.nonce }
    : refusals.unknownKey
}

/** Writes what a check-in means for the link of its key, and returns the key as it is then. */
async function settleKey(
  context: CompanionContext,
  { before, key }: { before: CompanionKey; key: CompanionKey },
  checkIn: CheckInFields,
  source: RequestSource,
): Promise<CompanionKey | undefined> {
  const { agents, db } = context
  const now = agents.clock()
  const isWithoutDevice = key.living_device_id === null
  const isStarted = checkIn.isStart && key.link_name === null
  const isLinkInQuestion = key.status === 'linked' && (isStarted || judgeLink(before, now) !== 'keep')
  const isAnswering = agents.isTrial && key.link_name !== null && checkIn.nodeKey !== ''
  const isUnasked = key.status === 'linking' && key.link_name === null
  if (!isWithoutDevice && !isUnasked && !isLinkInQuestion && !isAnswering) return key
  const change = newChange(systemActorAt(source), key.organization_id, now)
  await transact(db, async (tx) => {
    if (isAnswering) await linkByNodeKey(context, tx, { key, isRival: false, nodeKey: checkIn.nodeKey }, change)
    else if (isLinkInQuestion) await settleLink(tx, before, change)
    // Its osquery node may have enrolled since, or its device was deleted or merged into another.
    const device = isWithoutDevice ? await findDeviceOfHardware(tx, key.organization_id, key) : undefined
    const deviceId = device?.id ?? (isUnasked ? key.living_device_id : null)
    if (deviceId !== null) await askForLink(tx, { kid: key.kid, deviceId }, change)
  })
  return findCompanionKey(db, key.kid)
}

type Shown = { key: CompanionKey; isRival: boolean; nodeKey: string }

/** Proves the link of a key again that its node key comes with: both are of one process. Returns whether it does. */
async function linkByNodeKey(
  { agents }: CompanionContext,
  tx: Tx,
  { key, isRival, nodeKey }: Shown,
  change: ChangeContext,
): Promise<boolean> {
  const { organization_id: organizationId, kid, living_device_id: deviceId } = key
  const hash = agents.secrets.lookupHash(nodeKeyPurpose, nodeKey)
  const node = await findDeviceOfNodeKey(tx, organizationId, hash)
  if (!node || node.id !== deviceId) return false
  if (isRival) await continueAsRival(tx, kid, change)
  await linkCompanion(tx, { kid, deviceId, by: 'node_key' }, change)
  return true
}

/** The link of a key is proved again each day, and ends when its device no longer confirms it. */
async function settleLink(tx: Tx, key: CompanionKey, change: ChangeContext): Promise<void> {
  const { kid, living_device_id: deviceId } = key
  if (deviceId === null) return
  const isEnded = judgeLink(key, change.now) === 'end'
  await (isEnded ? endLink : askForLinkAgain)(tx, { kid, deviceId }, change)
}

/** What a companion has to show so that its key is linked: a file, or its node key in a trial. */
const linkAsked = (isByNodeKey: boolean, name: string | null) =>
  name === null ? null : isByNodeKey ? { by: 'node_key' } : { by: 'file', name }

async function answerCheckIn(
  { agents, baseUrl }: CompanionContext,
  { key, epoch }: { key: CompanionKey; epoch: string },
  queries: readonly DueQuery[],
): Promise<Answer> {
  const ring = { organizationId: key.organization_id, purpose: 'challenge' } as const
  const keys = await agents.signingKeys.published(ring, agents.clock())
  const { origin } = new URL(key.base_url ?? baseUrl)
  const isLinked = key.status === 'linked' && key.living_device_id !== null
  const { is_bundled: isBundled } = key
  const isContested = key.contest_ends_at !== null
  const answer = {
    kid: key.kid,
    status: !isLinked ? 'linking' : key.registration_suspended_at === null ? 'linked' : 'suspended',
    organization: key.organization_id,
    server_time: agents.clock(),
    origin,
    ports: companionPorts,
    challenge_keys: { keys },
    epoch,
    link: linkAsked(agents.isTrial && key.is_bundled, key.link_name),
    queries,
    next_check_in_seconds: secondsToNextCheckIn(key, { isLinked, isBundled, isContested }, agents.clock()),
  }
  return success(JSON.stringify(answer))
}
