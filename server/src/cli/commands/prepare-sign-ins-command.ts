import Type from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { requireSignInAddress } from '../../sign-in/connections/sign-in-address.ts'
import { defineCommand } from '../data-command.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { maxSimulatedPeople, prepareSignIns } from '../sign-ins/prepare-sign-ins.ts'

export const prepareSignInsCommand = defineCommand({
  name: 'prepare-sign-ins',
  args: Type.Object({
    organization: Type.Optional(Type.String()),
    people: Type.Integer({ minimum: 1, maximum: maxSimulatedPeople }),
    /** The public key (RFC 7517) that signs their requests. */
    requestKey: Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), { maxProperties: 20 }),
  }),
  async run({ connection, secrets, config, now }, { organization, people, requestKey }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const baseUrl = await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    const prepared = await transact(connection.db, (tx) =>
      prepareSignIns(tx, secrets, { people, requestKey, baseUrl }, terminalChange(organizationId, now)),
    )
    await io.line(JSON.stringify(prepared))
  },
})
