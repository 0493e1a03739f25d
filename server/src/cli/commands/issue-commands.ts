import { issueOperations } from '@muster/contract/operations/issues.ts'
import { presentIssue } from '../../compliance/issues/present.ts'
import { listIssues } from '../../compliance/issues/queries.ts'
import { implement } from '../describe-commands.ts'
import { listRecords, recordList, shorten } from '../list-records.ts'
import { devicesOf, slugsOf } from '../record-names.ts'
import { issueGroup } from './issue-group.ts'

const issues = recordList({
  ...{ called: 'issues', operation: issueOperations.listIssues, list: listIssues, present: presentIssue },
  usually: { search: 'resolved_at:null', called: 'open issues' },
  async cellsOf(rows, place) {
    const slugs = await slugsOf(
      place,
      rows.map((row) => row.check_id),
    )
    const devices = await devicesOf(
      place,
      rows.map((row) => row.device_id),
    )
    return rows.map((row) => [
      ...[row.id, slugs.get(row.check_id) ?? row.check_id, devices.get(row.device_id) ?? row.device_id],
      ...[row.detected_at, row.exempted ? 'exempted' : row.blocks_device_at, row.resolved_at, shorten(row.title)],
    ])
  },
})

export const issueCommands = implement(issueGroup, {
  list: (context, asked, io) =>
    listRecords(
      context,
      asked,
      { lists: [issues], heads: ['ID', 'CHECK', 'DEVICE', 'OPENED', 'BLOCKS', 'RESOLVED', 'TITLE'] },
      io,
    ),
})
