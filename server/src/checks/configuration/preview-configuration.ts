import { createHash } from 'node:crypto'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import type { Reader } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { readRoom } from '../../compliance/holds/hold-blocks.ts'
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
  /** The devices whose blocks are held, since they are more than the limit; null where blocks take effect. */
  held: { devices: number; limit: number } | null
  token: string
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
  const asIs = await planOf(reader, unsaved, now)
  const { room, limit } = await readRoom(reader, { organizationId, checkId }, now)
  const first = await walk(reader, unsaved, asIs, most)
  const { sudden } = first.totals
  const isHeld = sudden > room
  const plan = { ...asIs, isHeld }
  const { totals, digest } = isHeld ? await walk(reader, unsaved, plan, most) : first
  for (const effect of Object.values(totals.effects)) if (effect.sudden > room) holdEffect(effect)
  const { total, byOwner } = await countDevices(reader, organizationId, [...totals.owners])
  const onOnlyDevice = new Set([...totals.owners].filter((owner) => byOwner.get(owner) === 1))
  const token = [plan.revision, totals.blockedNow, totals.blockedAtEnd, digest].join('.')
  const held = isHeld ? { devices: sudden, limit } : null
  return { ...totals, plan, allDevices: total, onOnlyDevice, held, token }
}

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
    const asked = { organizationId, checkId, after, limit: devicesPerBatch, isWhole: plan.isRetargeted }
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
  const { organizationId, checkId, request, beginsBlockingOn } = unsaved
  const stored = orNotFound(await findConfiguration(reader, organizationId, checkId))
  const { after, changed } = await readSettingsChange(reader, organizationId, stored, request)
  const begins = beginsBlockingOn === undefined ? stored.begins_blocking_on : beginsBlockingOn
  const rules: BlockingRules = {
    ...after,
    paused_at: after.is_paused ? (stored.paused_at ?? now) : null,
    begins_blocking_on: begins,
  }
  return {
    now,
    end: endOfGrace(rules, now),
    isHeld: false,
    rules,
    targeting: { ...after, type: stored.type, platforms: stored.platforms },
    isRetargeted: scopeOf(changed) === 'all_devices' && !changed.every((name) => name === 'options'),
    isOtherQuery: changed.includes('options'),
    changed: begins === stored.begins_blocking_on ? changed : [...changed, 'begins_blocking_on'],
    revision: stored.revision,
    digestedAs: JSON.stringify([checkId, after, begins]),
  }
}
