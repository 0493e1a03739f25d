import { createHash } from 'node:crypto'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import type { Reader } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { areHeld, readBreaker } from '../../compliance/holds/breaker.ts'
import { listSuddenOwners } from '../../compliance/targeting/hold-ahead.ts'
import { isTelling } from '../../inventory/devices/rules.ts'
import { scopeOf } from './configuration-changes.ts'
import { type BlockingRules, endOfGrace } from './preview-rules.ts'
import { holdEffect, type PreviewPlan, type PreviewTotals, startTotals, takeDevice } from './preview-totals.ts'
import { countDevices, listPreviewedDevices } from './previewed-device-queries.ts'
import { findConfiguration } from './queries.ts'
import { readSettingsChange } from './read-settings-change.ts'

export type UnsavedConfiguration = {
  organizationId: string
  checkId: string
  request: CheckConfigurationRequest
  /** Undefined: as it is. */
  beginsBlockingOn?: string | null | undefined
}

export type ConfigurationPreview = PreviewTotals & {
  plan: PreviewPlan
  /** Of the organization, whether the check runs there or not. */
  allDevices: number
  onOnlyDevice: ReadonlySet<string>
  held: HeldBlocks | null
  token: string
}

/** What saving holds, since it would block the devices of more people than the limit without notice. */
type HeldBlocks = {
  devices: number
  people: number
  /** The devices of so many people one check may newly block within an hour. */
  limit: number
  /** Devices that the check has blocked within the hour before, and whose blocks are taken back. */
  takenBack: number
}

const devicesPerBatch = 1_000

/**
 * What saving a configuration would do to every device, by the rules that settle devices afterwards. `most` bounds the
 * devices that are listed, not those that are counted. Fails with not_found, and with invalid as saving would.
 */
export async function previewConfiguration(
  reader: Reader,
  unsaved: UnsavedConfiguration,
  { now, most }: { now: string; most: number },
): Promise<ConfigurationPreview> {
  const { organizationId, checkId } = unsaved
  const check = { organizationId, checkId }
  const asIs = await planOf(reader, unsaved, now)
  const breaker = await readBreaker(reader, check, now)
  const owners = await listSuddenOwners(reader, check, { ...asIs.targeting, ...asIs.rules }, now)
  const isHeld = await areHeld(breaker, owners)
  const plan = { ...asIs, isHeld }
  const { totals, digest } = await walk(reader, unsaved, plan, most)
  for (const effect of Object.values(totals.effects)) {
    if (await areHeld(breaker, effect.sudden)) holdEffect(effect)
  }
  const { total, byOwner } = await countDevices(reader, organizationId, [...totals.owners])
  const onOnlyDevice = new Set([...totals.owners].filter((owner) => byOwner.get(owner) === 1))
  const { sudden: devices, suddenOwners, takenBack } = totals
  const held = isHeld ? { devices, people: suddenOwners.size, limit: await breaker.limit(), takenBack } : null
  const numbers = tokenNumbers({ ...totals, held })
  const token = [plan.revision, ...numbers.map(({ count }) => count), digest].join('.')
  return { ...totals, plan, allDevices: total, onOnlyDevice, held, token }
}

/** The numbers that the administrator has seen, in the order of the token, each in the words of a refusal. */
export const tokenNumbers = ({
  blockedNow,
  blockedAtEnd,
  released,
  held,
}: Pick<ConfigurationPreview, 'blockedNow' | 'blockedAtEnd' | 'released' | 'held'>) => [
  { count: blockedNow, what: 'blocked at once', isOfEnd: false },
  { count: blockedAtEnd, what: 'blocked after the grace period', isOfEnd: true },
  { count: held?.devices ?? 0, what: 'held', isOfEnd: false },
  { count: released, what: 'no longer blocked', isOfEnd: false },
]

async function walk(
  reader: Reader,
  { organizationId, checkId }: UnsavedConfiguration,
  plan: PreviewPlan,
  most: number,
): Promise<{ totals: PreviewTotals; digest: string }> {
  const totals = startTotals()
  const digest = createHash('sha256').update(plan.digestedAs)
  let after = '0'
  for (;;) {
    const { now, isRetargeted: isWhole } = plan
    const asked = { organizationId, checkId, after, limit: devicesPerBatch, isWhole, now }
    const devices = await listPreviewedDevices(reader, asked)
    for (const device of devices) {
      const hit = takeDevice(totals, device, plan, most)
      if (hit !== '') digest.update(`${device.id}${hit} `)
    }
    if (devices.length < devicesPerBatch) break
    after = devices.at(-1)?.id ?? after
  }
  return { totals, digest: digest.digest('base64url').slice(0, 22) }
}

async function planOf(reader: Reader, unsaved: UnsavedConfiguration, now: string): Promise<PreviewPlan> {
  const { organizationId, checkId } = unsaved
  const stored = orNotFound(await findConfiguration(reader, organizationId, checkId))
  const { after, changed } = await readSettingsChange(reader, organizationId, stored, unsaved)
  const rules: BlockingRules = { ...after, paused_at: after.is_paused ? (stored.paused_at ?? now) : null }
  return {
    now,
    end: endOfGrace(rules, now),
    isHeld: false,
    isTold: isTelling(stored),
    rules,
    targeting: { ...after, type: stored.type, platforms: stored.platforms },
    isRetargeted: scopeOf(changed) === 'all_devices' && !changed.every((name) => name === 'options'),
    isOtherQuery: changed.includes('options'),
    changed,
    revision: stored.revision,
    digestedAs: JSON.stringify([checkId, after]),
  }
}
