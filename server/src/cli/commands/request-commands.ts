import Type from 'typebox'
import { decideExemptionRequest } from '../../administration/requests/decide-exemption-request.ts'
import { decideRegistrationRequest } from '../../administration/requests/decide-registration-request.ts'
import { findExemptionRequest } from '../../administration/requests/exemption-queries.ts'
import { raiseExemptionRequest } from '../../administration/requests/raise-exemption-request.ts'
import { reopenExemptionRequest } from '../../administration/requests/reopen-exemption-request.ts'
import { reopenRegistrationRequest } from '../../administration/requests/reopen-registration-request.ts'
import { type ListedRequest, listRequestsOfBothKinds } from '../../administration/requests/request-list-queries.ts'
import { requestRegistration } from '../../administration/requests/request-registration.ts'
import { withdrawExemptionRequest } from '../../administration/requests/withdraw-exemption-request.ts'
import { type Reader, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { defineCommand } from '../data-command.ts'
import { findPerson } from '../find-person.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'

const organization = Type.Optional(Type.String())
const identifier = Type.String({ pattern: '^[0-9]{1,18}$' })
const text = Type.String({ maxLength: 5_000 })
const ofRequest = { organization, kind: Type.Enum(['exemption', 'registration']), id: identifier }

export const listRequestsCommand = defineCommand({
  name: 'list-requests',
  args: Type.Object({
    organization,
    all: Type.Optional(Type.Boolean()),
    limit: Type.Integer({ minimum: 1, maximum: 10_000 }),
  }),
  async run({ connection }, { organization: named, all, limit }, io) {
    const { id } = await organizationOf(connection.db, named)
    const rows = await listRequestsOfBothKinds(connection.db, id, { isWhole: all === true, limit })
    for (const line of alignColumns(
      ['KIND', 'ID', 'STATE', 'ASKED', 'PERSON', 'DEVICE', 'MESSAGE'],
      rows.map(cellsOf),
    )) {
      await io.line(line)
    }
    return 0
  },
})

const maxShownLength = 60

const cellsOf = (row: ListedRequest) => [
  row.issue_count === null ? 'registration' : `exemption of ${row.issue_count}`,
  row.id,
  row.status,
  row.requested_at,
  row.person_email,
  `${row.device_id} ${row.device_name}`,
  row.requester_message.length > maxShownLength
    ? `${row.requester_message.slice(0, maxShownLength)}…`
    : row.requester_message,
]

export const raiseExemptionCommand = defineCommand({
  name: 'raise-exemption-request',
  args: Type.Object({
    organization,
    device: identifier,
    personEmail: Type.String(),
    issues: Type.Array(identifier, { minItems: 1, maxItems: 100 }),
    message: text,
  }),
  async run({ connection, now }, { organization: named, device, personEmail, issues: issueIds, message }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const id = await transact(connection.db, async (tx) => {
      const { id: personId } = await findPerson(tx, organizationId, personEmail)
      const asked = { deviceId: device, personId, issueIds, message }
      return raiseExemptionRequest(tx, asked, terminalChange(organizationId, now))
    })
    await io.line(id)
    return 0
  },
})

export const withdrawExemptionCommand = defineCommand({
  name: 'withdraw-exemption-request',
  args: Type.Object({ organization, id: identifier }),
  async run({ connection, now }, { organization: named, id: requestId }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await transact(connection.db, async (tx) => {
      const { person_id: personId } = orNotFound(await findExemptionRequest(tx, organizationId, requestId))
      await withdrawExemptionRequest(tx, { requestId, personId }, terminalChange(organizationId, now))
    })
    await io.line(`Withdrew exemption request ${requestId}`)
    return 0
  },
})

export const raiseRegistrationCommand = defineCommand({
  name: 'raise-registration-request',
  args: Type.Object({ organization, device: identifier, personEmail: Type.String(), message: text }),
  async run({ connection, now }, { organization: named, device: deviceId, personEmail, message }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const id = await transact(connection.db, async (tx) => {
      const { id: personId } = await findPerson(tx, organizationId, personEmail)
      const asked = { deviceId, personId, message }
      return requestRegistration(tx, asked, terminalChange(organizationId, now))
    })
    await io.line(id ?? `Registered device ${deviceId} to ${personEmail} at once: their first device`)
    return 0
  },
})

type Deciding = { organization?: string; kind: 'exemption' | 'registration'; id: string; note?: string }

const contextOf = async (reader: Reader, { organization: named }: Deciding, now: string) =>
  terminalChange((await organizationOf(reader, named)).id, now)

export const approveRequestCommand = defineCommand({
  name: 'approve-request',
  args: Type.Object({ ...ofRequest, note: Type.Optional(text) }),
  async run({ connection, now }, args: Deciding, io) {
    const context = await contextOf(connection.db, args, now)
    const internal_message = args.note ?? ''
    const decision = { status: 'approved' as const, internal_message }
    const decide = args.kind === 'exemption' ? decideExemptionRequest : decideRegistrationRequest
    await transact(connection.db, (tx) => decide(tx, { requestId: args.id, decision }, context))
    await io.line(`Approved ${args.kind} request ${args.id}`)
    return 0
  },
})

export const denyRequestCommand = defineCommand({
  name: 'deny-request',
  args: Type.Object({ ...ofRequest, note: Type.Optional(text), explanation: text }),
  async run({ connection, now }, args: Deciding & { explanation: string }, io) {
    const context = await contextOf(connection.db, args, now)
    const { id: requestId, explanation, note: internal_message = '' } = args
    const decision = { status: 'denied' as const, internal_message }
    await transact(connection.db, (tx) =>
      args.kind === 'exemption'
        ? decideExemptionRequest(tx, { requestId, decision: { ...decision, denial_explanation: explanation } }, context)
        : decideRegistrationRequest(
            tx,
            { requestId, decision: { ...decision, end_user_denial_message: explanation } },
            context,
          ),
    )
    await io.line(`Denied ${args.kind} request ${args.id}`)
    return 0
  },
})

export const reopenRequestCommand = defineCommand({
  name: 'reopen-request',
  args: Type.Object(ofRequest),
  async run({ connection, now }, args: Deciding, io) {
    const context = await contextOf(connection.db, args, now)
    const reopening = { requestId: args.id }
    await transact(connection.db, (tx) =>
      args.kind === 'exemption'
        ? reopenExemptionRequest(tx, reopening, context)
        : reopenRegistrationRequest(tx, reopening, context),
    )
    await io.line(`${args.kind === 'exemption' ? 'Exemption' : 'Registration'} request ${args.id} waits for a decision`)
    return 0
  },
})
