import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Tx } from '../base/db/transact.ts'
import { maxCharactersOfCampaign } from './answer-rules.ts'
import type { ClosedTarget, LiveAnswer } from './record-live-answers.ts'

/** Answers without the parts for which their campaign has no room anymore. */
export async function fitCampaigns(
  tx: Tx,
  organizationId: string,
  answers: readonly LiveAnswer[],
): Promise<LiveAnswer[]> {
  const campaignIds = [...new Set(answers.filter(({ more }) => more).map(({ campaignId }) => campaignId))]
  const used = await charactersOfCampaigns(tx, organizationId, campaignIds)
  return answers.map((answer) => {
    const { more, ...first } = answer
    if (!more) return answer
    const characters = (used.get(answer.campaignId) ?? 0) + more.characters
    if (characters > maxCharactersOfCampaign) return { ...first, warningMessage: more.warningWithout }
    used.set(answer.campaignId, characters)
    return answer
  })
}

async function charactersOfCampaigns(tx: Tx, organizationId: string, campaignIds: readonly string[]) {
  if (campaignIds.length === 0) return new Map<string, number>()
  const { rows } = await sql<{ campaign_id: string; characters: number }>`
    select campaign_id, sum(part_characters)::float8 as characters from live_query_tallies
    where ${inOrganization('live_query_tallies', organizationId)} and campaign_id = any(${campaignIds}::bigint[])
    group by campaign_id
  `.execute(tx)
  return new Map(rows.map(({ campaign_id, characters }) => [campaign_id, characters]))
}

/** Stores the rows of closed targets beyond their first part. Returns how many characters were stored for each result that has parts. */
export async function storeParts(
  tx: Tx,
  organizationId: string,
  answers: readonly LiveAnswer[],
  closed: readonly ClosedTarget[],
): Promise<Map<string, number>> {
  const keyOf = (campaignId: string, deviceId: string) => `${campaignId}/${deviceId}`
  const resultIds = new Map(closed.map((one) => [keyOf(one.campaign_id, one.device_id), one.result_id]))
  const stored = new Map<string, number>()
  const parts = answers.flatMap((answer) => {
    const resultId = resultIds.get(keyOf(answer.campaignId, answer.deviceId))
    if (resultId === undefined || !answer.more) return []
    stored.set(resultId, answer.more.characters)
    return answer.more.parts.map((part) => ({ resultId, ...part }))
  })
  if (parts.length === 0) return stored
  await sql`
    insert into live_query_result_parts (organization_id, result_id, first_row, rows)
    select ${organizationId}::bigint, result_id, first_row, rows::jsonb
    from unnest(
      ${parts.map(({ resultId }) => resultId)}::bigint[], ${parts.map(({ firstRow }) => firstRow)}::int[],
      ${parts.map(({ rows }) => rows)}::text[]
    ) as part (result_id, first_row, rows)
  `.execute(tx)
  return stored
}
