import { type ChangeContext, newChange, systemActorAt } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { companionPorts } from '../companion-keys/companion-ports.ts'
import { askForLink, askForLinkAgain, distrustKey, endLink, linkCompanion } from '../companion-keys/link-companion.ts'
import { judgeLink } from '../companion-keys/link-rules.ts'
import { isWorthNoting, noteContact } from '../companion-keys/note-contact.ts'
import {
  type CompanionKey,
  findCompanionKey,
  findDeviceOfHardware,
  findDeviceOfNodeKey,
} from '../companion-keys/queries.ts'
import type { Answer } from '../protocol/answers.ts'
import { success } from '../protocol/answers.ts'
import { nodeKeyPurpose } from '../protocol/node-key.ts'
import { refusals } from './companion-answers.ts'
import type { CompanionContext } from './companion-context.ts'
import { type DueQuery, dueQueries } from './due-queries.ts'
import { type Fields, textOf } from './signed-request.ts'

const idleSeconds = 300
const linkingSeconds = 15
const maxWaitSeconds = 25

/** Answers a contact: at once, or when there is something to run or the time that the companion waits is over. */
export async function takeContact(
  context: CompanionContext,
  key: CompanionKey,
  { fields, ip, signal }: { fields: Fields; ip: string; signal: AbortSignal },
): Promise<Answer> {
  const contact = contactOf(fields)
  const settled = await settleKey(context, key, contact, ip)
  if (!settled) return refusals.unknownKey
  const deviceId = settled.status === 'linked' ? settled.living_device_id : null
  if (deviceId === null) return answerContact(context, settled, [])
  const place = { organizationId: settled.organization_id, deviceId }
  const due = await dueQueries(context, place)
  if (due.length > 0 || contact.waitSeconds === 0) return answerContact(context, settled, due)
  await context.waits.waitForNews({ kid: settled.kid, ...place }, contact.waitSeconds, signal)
  // Neither the connection nor the key may be there anymore.
  const current = signal.aborted ? undefined : await findCompanionKey(context.db, settled.kid)
  if (!current) return refusals.unknownKey
  const isLinked = current.status === 'linked' && current.living_device_id === deviceId
  return answerContact(context, current, isLinked ? await dueQueries(context, place) : [])
}

/** The answer to an enrollment. */
export async function answerEnrolled(context: CompanionContext, kid: string): Promise<Answer> {
  const key = await findCompanionKey(context.db, kid)
  return key ? answerContact(context, key, []) : refusals.unknownKey
}

type Contact = ReturnType<typeof contactOf>

function contactOf(fields: Fields) {
  const { port, wait_seconds: wait, epoch } = fields
  const waitSeconds = typeof wait === 'number' && wait > 0 ? Math.min(maxWaitSeconds, wait) : 0
  return {
    agentVersion: textOf(fields['agent_version'], 40),
    port: companionPorts.find((known) => known === port) ?? null,
    epoch: typeof epoch === 'string' ? textOf(epoch, 100) : null,
    waitSeconds,
    isWoken: waitSeconds > 0,
    nodeKey: textOf(fields['node_key']),
  }
}

/** Writes what the contact says, and returns the key as it is then. */
async function settleKey(
  context: CompanionContext,
  key: CompanionKey,
  contact: Contact,
  ip: string,
): Promise<CompanionKey | undefined> {
  const { agents, db } = context
  const now = agents.clock()
  const isWithoutDevice = key.living_device_id === null
  const isLinkInQuestion = key.status === 'linked' && judgeLink(key, now) !== 'keep'
  const isAnswering = key.link_name !== null && contact.nodeKey !== ''
  const isQuiet = !isWithoutDevice && !isLinkInQuestion && !isAnswering
  if (isQuiet && !isWorthNoting(key, contact, now)) return key
  const change = newChange(systemActorAt(ip), key.organization_id, now)
  await transact(db, async (tx) => {
    if (isAnswering) await linkByNodeKey(context, tx, key, contact.nodeKey, change)
    else if (isLinkInQuestion) await settleLink(tx, key, change)
    // Its osquery node may have enrolled since, or its device was deleted or merged into another.
    const device = isWithoutDevice ? await findDeviceOfHardware(tx, key.organization_id, key) : undefined
    if (device) await askForLink(tx, { kid: key.kid, deviceId: device.id }, change)
    const noted = await noteContact(tx, key, contact, now)
    if (noted !== 'spent' || key.device_id === null) return
    agents.log.warn({ organizationId: key.organization_id, deviceId: key.device_id }, 'a companion key is used twice')
    await distrustKey(tx, { kid: key.kid, deviceId: key.device_id }, change)
  })
  return findCompanionKey(db, key.kid)
}

/** Proves the link of a key again that its node key comes with: both are of one process. */
async function linkByNodeKey(
  { agents }: CompanionContext,
  tx: Tx,
  { organization_id: organizationId, kid, living_device_id: deviceId }: CompanionKey,
  nodeKey: string,
  change: ChangeContext,
): Promise<void> {
  const hash = agents.secrets.lookupHash(nodeKeyPurpose, nodeKey)
  const node = await findDeviceOfNodeKey(tx, organizationId, hash)
  if (node && node.id === deviceId) await linkCompanion(tx, { kid, deviceId }, change)
}

/** The link of a key is proved again each day, and ends when its device no longer confirms it. */
async function settleLink(tx: Tx, key: CompanionKey, change: ChangeContext): Promise<void> {
  const { kid, living_device_id: deviceId } = key
  if (deviceId === null) return
  const isEnded = judgeLink(key, change.now) === 'end'
  await (isEnded ? endLink : askForLinkAgain)(tx, { kid, deviceId }, change)
}

async function answerContact(
  { agents, baseUrl }: CompanionContext,
  key: CompanionKey,
  queries: readonly DueQuery[],
): Promise<Answer> {
  const ring = { organizationId: key.organization_id, purpose: 'challenge' } as const
  const keys = await agents.signingKeys.published(ring, agents.clock())
  const { origin } = new URL(key.base_url ?? baseUrl)
  const isLinked = key.status === 'linked' && key.living_device_id !== null
  const answer = {
    kid: key.kid,
    status: !isLinked ? 'linking' : key.registration_suspended_at === null ? 'linked' : 'suspended',
    organization: key.organization_id,
    server_time: agents.clock(),
    origin,
    ports: companionPorts,
    challenge_keys: { keys },
    epoch: key.epoch,
    link: key.link_name === null ? null : { name: key.link_name },
    queries,
    next_contact_seconds: isLinked && (key.link_name === null || !key.is_bundled) ? idleSeconds : linkingSeconds,
  }
  return success(JSON.stringify(answer))
}
