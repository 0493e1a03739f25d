import Type from 'typebox'
import { ulid } from 'ulid'
import { transact } from '../../db/transact.ts'
import { registerDevice } from '../../registrations/register-device.ts'
import { restoreDevice } from '../../registrations/restore-device.ts'
import { confirmRegistration } from '../../registrations/suspend-registration.ts'
import { defineCommand } from '../data-command.ts'
import { findPerson } from '../find-person.ts'
import { organizationOf, terminalActor } from '../organization-of.ts'

const ofDevice = { organization: Type.Optional(Type.String()), id: Type.String({ pattern: '^[0-9]{1,18}$' }) }

const byAdmin = (now: string) => ({ cause: ulid(), initiator: 'admin', now }) as const

export const registerDeviceCommand = defineCommand({
  name: 'register-device',
  args: Type.Object({ ...ofDevice, personEmail: Type.String() }),
  async run({ connection, now }, { organization, id, personEmail }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    await transact(connection.db, async (tx) => {
      const person = await findPerson(tx, organizationId, personEmail)
      const registration = { organizationId, deviceId: id, personId: person.id, actor: terminalActor() }
      await registerDevice(tx, registration, byAdmin(now))
    })
    await io.line(`Registered device ${id} to ${personEmail}`)
    return 0
  },
})

export const confirmRegistrationCommand = defineCommand({
  name: 'confirm-registration',
  args: Type.Object(ofDevice),
  async run({ connection, now }, { organization, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const confirmation = { organizationId, deviceId: id, actor: terminalActor() }
    await transact(connection.db, (tx) => confirmRegistration(tx, confirmation, byAdmin(now)))
    await io.line(`Confirmed the registration of device ${id}`)
    return 0
  },
})

export const restoreDeviceCommand = defineCommand({
  name: 'restore-device',
  args: Type.Object(ofDevice),
  async run({ connection, now }, { organization, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const restoration = { organizationId, deviceId: id, actor: terminalActor() }
    await transact(connection.db, (tx) => restoreDevice(tx, restoration, byAdmin(now)))
    await io.line(`Restored device ${id}`)
    return 0
  },
})
