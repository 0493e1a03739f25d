import type { MergePreview } from '@muster/contract/console-merges.ts'
import type { Reader } from '../../base/db/transact.ts'
import { getPair, type Pair } from './get-pair.ts'
import { listExemptionsToTake, listGroupsToJoin, type MergedDevice } from './queries.ts'
import { agentOf, doBothReport, doubtOf, needsConfirmation, powersFor, sameIdentity } from './rules.ts'

/** What a merge would do. Fails as the merge does, but for devices that both report. */
export async function previewMerge(reader: Reader, pair: Pair, now: string): Promise<MergePreview> {
  const { kept, other } = await getPair(reader, pair)
  const [groups, exemptions] = await Promise.all([
    listGroupsToJoin(reader, pair),
    listExemptionsToTake(reader, pair, now),
  ])
  return {
    kept: presentMerged(kept),
    other: presentMerged(other),
    same: sameIdentity(kept, other),
    agent: agentOf(kept, other),
    both_report: doBothReport(kept, other, now),
    needs_confirmation: needsConfirmation(kept, other, now),
    takes: {
      owner_name: kept.registered_owner_id === null ? other.owner_name : null,
      note: kept.note === null && other.note !== null,
      group_names: groups.map(({ name }) => name),
      exempted_checks: exemptions.map(({ name }) => name),
    },
    needs: powersFor({
      hasOwner: kept.registered_owner_id === null && other.registered_owner_id !== null,
      ...{ exemptions: exemptions.length, groups: groups.length },
    }),
    suspends_registration: doubtOf(kept, other) !== undefined,
  }
}

const presentMerged = (device: MergedDevice): MergePreview['kept'] => ({
  id: device.id,
  name: device.name,
  owner_name: device.owner_name,
  serial: device.serial,
  hardware_uuid: device.hardware_uuid,
  last_seen_at: device.last_seen_at,
  open_issues: device.open_issues,
})
