import { authLogOperations } from '@muster/contract/operations/auth-logs.ts'
import { presentAuthLog } from '../../sign-in/auth-logs/present.ts'
import { listAuthLogs } from '../../sign-in/auth-logs/queries.ts'
import { implement } from '../describe-commands.ts'
import { listRecords, recordList } from '../list-records.ts'
import { devicesOf } from '../record-names.ts'
import { signInGroup } from './sign-in-group.ts'

const signIns = recordList({
  ...{ called: 'sign-ins', operation: authLogOperations.listAuthLogs, list: listAuthLogs, present: presentAuthLog },
  order: 'descending',
  async cellsOf(rows, place) {
    const devices = await devicesOf(
      place,
      rows.map((row) => row.device_id),
    )
    return rows.map((row) => [
      ...[row.id, row.started_at, row.result, row.person_email],
      ...[devices.get(row.device_id) ?? row.device_id, row.application_name || null],
    ])
  },
})

export const signInCommands = implement(signInGroup, {
  list: (context, asked, io) =>
    listRecords(
      context,
      asked,
      { lists: [signIns], heads: ['ID', 'TIME', 'RESULT', 'PERSON', 'DEVICE', 'APPLICATION'] },
      io,
    ),
})
