import { decideExemptionRequest } from '../../administration/requests/decide-exemption-request.ts'
import { decideRegistrationRequest } from '../../administration/requests/decide-registration-request.ts'
import { findExemptionRequest } from '../../administration/requests/exemption-queries.ts'
import { raiseExemptionRequest } from '../../administration/requests/raise-exemption-request.ts'
import { reopenExemptionRequest } from '../../administration/requests/reopen-exemption-request.ts'
import { reopenRegistrationRequest } from '../../administration/requests/reopen-registration-request.ts'
import { requestRegistration } from '../../administration/requests/request-registration.ts'
import { withdrawExemptionRequest } from '../../administration/requests/withdraw-exemption-request.ts'
import { type Reader, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { implement } from '../describe-commands.ts'
import { findPerson } from '../find-person.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { listRequests } from './list-requests.ts'
import { requestGroup } from './request-group.ts'

export const requestCommands = implement(requestGroup, {
  list: listRequests,

  async raiseExemption(
    { connection, now },
    { organization: named, device, personEmail, issues: issueIds, message },
    io,
  ) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const id = await transact(connection.db, async (tx) => {
      const { id: personId } = await findPerson(tx, organizationId, personEmail)
      const asked = { deviceId: device, personId, issueIds, message }
      return raiseExemptionRequest(tx, asked, terminalChange(organizationId, now))
    })
    await io.line(id)
  },

  async withdraw({ connection, now }, { organization: named, id: requestId }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await transact(connection.db, async (tx) => {
      const { person_id: personId } = orNotFound(await findExemptionRequest(tx, organizationId, requestId))
      await withdrawExemptionRequest(tx, { requestId, personId }, terminalChange(organizationId, now))
    })
    await io.line(`Withdrew exemption request ${requestId}`)
  },

  async raiseRegistration({ connection, now }, { organization: named, device: deviceId, personEmail, message }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const id = await transact(connection.db, async (tx) => {
      const { id: personId } = await findPerson(tx, organizationId, personEmail)
      const asked = { deviceId, personId, message }
      return requestRegistration(tx, asked, terminalChange(organizationId, now))
    })
    await io.line(id ?? `Registered device ${deviceId} to ${personEmail} at once: their first device`)
  },

  async approve({ connection, now }, args, io) {
    const context = await contextOf(connection.db, args, now)
    const internal_message = args.note ?? ''
    const decision = { status: 'approved' as const, internal_message }
    const decide = args.kind === 'exemption' ? decideExemptionRequest : decideRegistrationRequest
    await transact(connection.db, (tx) => decide(tx, { requestId: args.id, decision }, context))
    await io.line(`Approved ${args.kind} request ${args.id}`)
  },

  async deny({ connection, now }, args, io) {
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
  },

  async reopen({ connection, now }, args, io) {
    const context = await contextOf(connection.db, args, now)
    const reopening = { requestId: args.id }
    await transact(connection.db, (tx) =>
      args.kind === 'exemption'
        ? reopenExemptionRequest(tx, reopening, context)
        : reopenRegistrationRequest(tx, reopening, context),
    )
    await io.line(`${args.kind === 'exemption' ? 'Exemption' : 'Registration'} request ${args.id} waits for a decision`)
  },
})

type Deciding = { organization?: string; kind: 'exemption' | 'registration'; id: string; note?: string }

const contextOf = async (reader: Reader, { organization: named }: Deciding, now: string) =>
  terminalChange((await organizationOf(reader, named)).id, now)
