import { sql } from 'kysely'
import { addOrRestorePerson } from '../../administration/people/add-or-restore-person.ts'
import { deprovisionByHand } from '../../administration/people/deprovision-by-hand.ts'
import { findPersonDetail } from '../../administration/people/queries.ts'
import { restoreByHand } from '../../administration/people/restore-by-hand.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { listDevicesOfPerson } from '../../inventory/devices/queries.ts'
import { findPerson } from '../../inventory/people/queries.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { findAnyPerson } from '../find-person.ts'
import { changeIn, organizationOf, whoeverMayRunThis } from '../organization-of.ts'
import { alignFields, plainText } from '../table.ts'
import { listPeopleOf } from './list-people.ts'
import { peopleGroup } from './people-group.ts'

const shownDevices = 50

export const peopleCommands = implement(peopleGroup, {
  list: (context, { deprovisioned = false, ...asked }, io) => listPeopleOf(context, asked, deprovisioned, io),

  async show({ connection: { db }, now }, { organization, person: named }, io) {
    const { id: organizationId } = await organizationOf(db, organization)
    const { id } = await findAnyPerson(db, organizationId, named)
    const person = orNotFound(await findPerson(db, organizationId, id))
    const detail = orNotFound(await findPersonDetail(db, organizationId, id))
    const ofPerson = { ...allOf(organizationId, now), params: { personId: id }, limit: shownDevices + 1 }
    const devices = await listDevicesOfPerson(db, ofPerson)
    const titles = devices.slice(0, shownDevices).map(titleOf)
    if (devices.length > shownDevices) titles.push('and others')
    const fields = [
      ['ID', id],
      ['name', person.name],
      ['e-mail', person.email],
      ['user names', person.usernames.join(', ') || null],
      ['managed by', detail.is_provided ? 'SCIM' : 'administrators'],
      ['devices', titles.join(', ') || null],
      ['created', person.created_at],
      ['last sign-in', person.last_authenticated_at],
      ['deprovisioned', detail.deprovisioned_at],
      ['administrator', detail.administrator_id],
    ] as const
    for (const line of alignFields(fields)) await io.line(line)
  },

  async add(context, { organization, name, email }, io) {
    const { id, outcome } = await changeIn(context, organization, (tx, change) =>
      addOrRestorePerson(tx, { name, email, requirePower: whoeverMayRunThis }, change),
    )
    if (outcome === 'known') throw new CommandError(exitCodes.failure, `Person ${id} already has the address ${email}`)
    if (outcome === 'restored') await io.error(`Restored person ${id}, who was deprovisioned. The name is unchanged.`)
    await io.line(id)
    if (outcome === 'added') await io.error(`Added ${plainText(email)}.`)
  },

  async deprovision(context, { organization, person: named }, io) {
    const { person, ended } = await changeIn(context, organization, async (tx, change) => {
      const { organizationId } = change
      const found = await findAnyPerson(tx, organizationId, named)
      if (found.deprovisioned_at !== null) return { person: found, ended: undefined }
      const asked = { personId: found.id, requirePower: whoeverMayRunThis }
      const deviceIds = await deprovisionByHand(tx, asked, change)
      const { administrator_id } = orNotFound(await findPersonDetail(tx, organizationId, found.id))
      return {
        person: found,
        ended: { devices: await standOf(tx, organizationId, found.id, deviceIds), administrator_id },
      }
    })
    if (!ended) {
      await io.line(`Person ${titleOf(person)} is deprovisioned already`)
      return
    }
    await io.line(`Deprovisioned person ${titleOf(person)}`)
    for (const device of ended.devices) await io.line(describeEnded(device, person.email))
    if (ended.administrator_id === null) return
    const removal = `muster admins remove ${ended.administrator_id}`
    await io.error(
      `An administrator has this address and can no longer sign in to the console. To remove them: ${removal}`,
    )
  },

  async restore(context, { organization, person: named }, io) {
    const { person, isRestored } = await changeIn(context, organization, async (tx, change) => {
      const found = await findAnyPerson(tx, change.organizationId, named)
      return {
        person: found,
        isRestored: await restoreByHand(tx, { personId: found.id, requirePower: whoeverMayRunThis }, change),
      }
    })
    await io.line(isRestored ? `Restored person ${titleOf(person)}` : `Person ${titleOf(person)} is unchanged`)
  },
})

const allOf = (organizationId: string, now: string) =>
  ({ organizationId, params: {}, search: undefined, after: undefined, order: 'ascending', now }) as const

/** What became of the devices of someone who was deprovisioned. */
const standOf = (reader: Reader, organizationId: string, personId: string, deviceIds: readonly string[]) =>
  reader
    .selectFrom('devices')
    .leftJoin('ended_registrations as ended', (join) =>
      join
        .onRef('ended.organization_id', '=', 'devices.organization_id')
        .onRef('ended.device_id', '=', 'devices.id')
        .on('ended.person_id', '=', personId),
    )
    .select(['devices.id', 'devices.name', 'devices.deleted_at', 'ended.suspended_at'])
    .where(inOrganization('devices', organizationId))
    .where('devices.id', '=', sql<string>`any(${deviceIds}::bigint[])`)
    .orderBy('devices.id')
    .execute()

type Ended = Awaited<ReturnType<typeof standOf>>[number]

function describeEnded({ id, name, deleted_at: deletedAt, suspended_at: suspendedAt }: Ended, email: string): string {
  if (deletedAt !== null) return `Device ${id} is deleted with its registration`
  const free = `Device ${id} (${plainText(name)}) has no owner now.`
  if (suspendedAt !== null)
    return `${free} Its registration was suspended: register it again only if you know whose it is`
  return `${free} After a restore: muster devices register ${id} ${asWord(email)}`
}

const titleOf = ({ id, name }: { id: string; name: string }): string => `${id} (${plainText(name)})`

/** An address as a word of the shell. */
const asWord = (email: string): string => {
  const plain = plainText(email)
  return /^[\w.@+-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`
}
