import { setTimeout as pause } from 'node:timers/promises'
import type { Static } from 'typebox'
import { type Db, transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { checkSql } from '../../live-queries/check-sql.ts'
import { createCampaign } from '../../live-queries/create-campaign.ts'
import { deleteCampaign } from '../../live-queries/delete-campaign.ts'
import {
  campaignExists,
  findCampaign,
  listCampaigns,
  listResultParts,
  listResults,
} from '../../live-queries/queries.ts'
import { noTargets, wantedTargets } from '../../live-queries/targeting-rules.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import type { CommandIo } from '../data-command.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { liveQueryGroup } from './live-query-group.ts'

type NewLiveQuery = Static<typeof liveQueryGroup.commands.create.args>

export const liveQueryCommands = implement(liveQueryGroup, {
  async create({ connection: { db }, config, now }, args, io) {
    const { id: organizationId } = await organizationOf(db, args.organization)
    const { name, sql } = args
    const id = await explained(async () => {
      const tablesUsed = checkSql(sql, config.liveQueryBlockedTables)
      const campaign = { name, sql, tablesUsed, targets: targetsOf(args), namedDeviceIds: args.devices ?? [] }
      return transact(db, (tx) => createCampaign(tx, campaign, terminalChange(organizationId, now)))
    })
    if (args.wait === undefined) await io.line(id)
    else {
      await io.error(`Live query ${id}`)
      await followResults(db, { organizationId, campaignId: id, waitMs: args.wait * 1_000 }, io)
    }
  },

  async list({ connection: { db }, now }, args, io) {
    const { id: organizationId } = await organizationOf(db, args.organization)
    const page = { organizationId, params: {}, search: undefined, order: 'ascending' as const, now, limit: 100 }
    let after: string | undefined
    for (let isFirst = true; ; isFirst = false) {
      const campaigns = await listCampaigns(db, { ...page, after })
      const rows = campaigns.map((one) => [
        ...[one.id, one.created_at, String(one.waiting), String(one.successful), String(one.errored), one.name],
      ])
      const lines = alignColumns(['ID', 'CREATED', 'WAITING', 'SUCCESSFUL', 'ERRORED', 'NAME'], rows)
      for (const line of isFirst ? lines : lines.slice(1)) await io.line(line)
      if (campaigns.length < page.limit) return 0
      after = campaigns.at(-1)?.id
    }
  },

  async results({ connection: { db } }, { organization: named, id: campaignId, wait: seconds = 0 }, io) {
    const { id: organizationId } = await organizationOf(db, named)
    if (!(await campaignExists(db, organizationId, campaignId))) throw unknown(campaignId)
    await followResults(db, { organizationId, campaignId, waitMs: seconds * 1_000 }, io)
  },

  async delete({ connection: { db }, now }, { organization: named, id: campaignId }, io) {
    const { id: organizationId } = await organizationOf(db, named)
    if (!(await campaignExists(db, organizationId, campaignId))) throw unknown(campaignId)
    await transact(db, (tx) => deleteCampaign(tx, { campaignId }, terminalChange(organizationId, now)))
    await io.line(`Deleted live query ${campaignId}`)
  },
})

function targetsOf({ devices = [], all = false, macs = false, windows = false, linux = false }: NewLiveQuery) {
  const request = {
    targeted_device_ids: devices,
    target_all_devices: all,
    target_macs: macs,
    target_windows_devices: windows,
    target_linux_devices: linux,
  }
  return wantedTargets(request, noTargets, String)
}

/** What the API would answer to the same, in the words of a terminal. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const faults = (error.errors ?? []).map(({ field, message }) => `${field} ${message}`.trim())
    throw new CommandError(exitCodes.usage, faults.length > 0 ? faults.join('\n') : error.message)
  }
}

const unknown = (id: string) => new CommandError(exitCodes.notFound, `There is no live query ${id}`)

type Following = { organizationId: string; campaignId: string; waitMs: number }

const pollMs = 500
const resultsPerPage = 100
const partsPerPage = 20

/** Writes one line of JSON for each device, as the answers come, until all are there or the time is over. */
async function followResults(db: Db, { organizationId, campaignId, waitMs }: Following, io: CommandIo): Promise<void> {
  const endsAt = performance.now() + waitMs
  let after: string | undefined
  for (;;) {
    // Counted before the results are read, so that none can come in between unseen.
    const waiting = (await findCampaign(db, organizationId, campaignId))?.waiting ?? 0
    after = await writeResults(db, { organizationId, campaignId, after }, io)
    if (waiting === 0) return
    if (performance.now() >= endsAt || io.signal.aborted) {
      return io.error(`${waiting} ${waiting === 1 ? 'device has' : 'devices have'} not answered yet`)
    }
    await pause(pollMs, undefined, { signal: io.signal }).catch(() => undefined)
  }
}

type Place = { organizationId: string; campaignId: string; after: string | undefined }

/** Returns where to continue. */
async function writeResults(
  reader: Db,
  { organizationId, campaignId, after: start }: Place,
  io: CommandIo,
): Promise<string | undefined> {
  const params = { liveQueryCampaignId: campaignId }
  const page = {
    organizationId,
    params,
    search: undefined,
    order: 'ascending' as const,
    now: '',
    limit: resultsPerPage,
  }
  for (let after = start; ; ) {
    const results = await listResults(reader, { ...page, after })
    for (const row of results) {
      const { device_id, device_name, error_message } = row
      const rows = row.rows_in_parts === 0 ? row.rows : await allRows(reader, { organizationId, ...params }, row.id)
      const warning_message = row.rows_in_parts === 0 ? row.warning_message : lossOf(row.row_count, rows.length)
      await io.line(JSON.stringify({ device_id, device_name, error_message, warning_message, results: rows }))
    }
    after = results.at(-1)?.id ?? after
    if (results.length < resultsPerPage) return after
  }
}

/** Bounded by what is kept of an answer. */
async function allRows(
  db: Db,
  { organizationId, liveQueryCampaignId }: { organizationId: string; liveQueryCampaignId: string },
  resultId: string,
): Promise<Record<string, string>[]> {
  const params = { liveQueryCampaignId, resultId }
  const rows: Record<string, string>[] = []
  for (let after: string | undefined; ; ) {
    const parts = await listResultParts(db, { organizationId, params, after, limit: partsPerPage })
    rows.push(...parts.flatMap((part) => part.rows))
    after = parts.at(-1)?.id
    if (parts.length < partsPerPage) return rows
  }
}

const lossOf = (returned: number, kept: number): string | null =>
  kept < returned ? `Only ${kept} of ${returned} rows were kept.` : null
