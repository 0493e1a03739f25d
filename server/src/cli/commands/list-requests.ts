import { requestOperations } from '@muster/contract/operations/requests.ts'
import { listExemptionRequests } from '../../administration/requests/exemption-queries.ts'
import { presentExemptionRequest, presentRegistrationRequest } from '../../administration/requests/present.ts'
import { listRegistrationRequests } from '../../administration/requests/registration-queries.ts'
import type { CommandContext, CommandIo } from '../data-command.ts'
import { type AskedList, type ListPlace, listRecords, recordList, shorten } from '../list-records.ts'
import { devicesOf, emailsOf } from '../record-names.ts'
import { type AskedKind, requireKind } from './require-kind.ts'

type Request = {
  id: string
  status: string
  requested_at: string
  requester_message: string
  person_id: string
  device_id: string
}

async function cellsOf<Row extends Request>(rows: readonly Row[], place: ListPlace, kindOf: (row: Row) => string) {
  const emails = await emailsOf(
    place,
    rows.map((row) => row.person_id),
  )
  const devices = await devicesOf(
    place,
    rows.map((row) => row.device_id),
  )
  return rows.map((row) => [
    ...[kindOf(row), row.id, row.status, row.requested_at, emails.get(row.person_id) ?? row.person_id],
    ...[devices.get(row.device_id) ?? row.device_id, shorten(row.requester_message)],
  ])
}

const kinds = {
  exemption: recordList({
    ...{ called: 'exemption requests', operation: requestOperations.listExemptionRequests },
    ...{ list: listExemptionRequests, present: presentExemptionRequest },
    usually: { search: 'status:open', called: 'open exemption requests' },
    cellsOf: (rows, place) => cellsOf(rows, place, ({ issue_ids: ids }) => `exemption of ${ids.length}`),
  }),
  registration: recordList({
    ...{ called: 'registration requests', operation: requestOperations.listRegistrationRequests },
    ...{ list: listRegistrationRequests, present: presentRegistrationRequest },
    usually: { search: 'status:pending', called: 'pending registration requests' },
    cellsOf: (rows, place) => cellsOf(rows, place, () => 'registration'),
  }),
}

/** Lists requests of both kinds, or of one. */
export async function listRequests(
  context: CommandContext,
  { kind, ...asked }: AskedList & AskedKind<keyof typeof kinds>,
  io: CommandIo,
) {
  requireKind({ kind, ...asked })
  const lists = kind === undefined ? [kinds.exemption, kinds.registration] : [kinds[kind]]
  const heads = ['KIND', 'ID', 'STATE', 'ASKED', 'PERSON', 'DEVICE', 'MESSAGE']
  return listRecords(context, asked, { lists, heads }, io)
}
