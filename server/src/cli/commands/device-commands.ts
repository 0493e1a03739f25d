import { deviceOperations } from '@muster/contract/operations/devices.ts'
import type { OwnerListLine, OwnerListPreview } from '@muster/contract/owner-lists.ts'
import { assignOwners } from '../../administration/registrations/assign-owners.ts'
import { resolveIdentityConflict } from '../../administration/registrations/end-identity-conflicts.ts'
import { previewOwnerList } from '../../administration/registrations/preview-owner-list.ts'
import { registerDevice } from '../../administration/registrations/register-device.ts'
import { restoreDevice } from '../../administration/registrations/restore-device.ts'
import { confirmRegistration } from '../../administration/registrations/suspend-registration.ts'
import { mergeDevices } from '../../agents/merges/merge-devices.ts'
import { previewMerge } from '../../agents/merges/preview-merge.ts'
import { transact } from '../../base/db/transact.ts'
import { endExemption } from '../../compliance/exemptions/end-exemption.ts'
import { exemptCheck } from '../../compliance/exemptions/exempt-check.ts'
import { snoozeCheck } from '../../compliance/exemptions/snooze-check.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { listDevices } from '../../inventory/devices/queries.ts'
import { shownState } from '../../inventory/devices/rules.ts'
import { exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { describeMerge } from '../describe-merge.ts'
import { findCheck } from '../find-check.ts'
import { findPerson } from '../find-person.ts'
import { listRecords, recordList } from '../list-records.ts'
import { changeIn, organizationOf, terminalChange, whoeverMayRunThis } from '../organization-of.ts'
import { emailsOf } from '../record-names.ts'
import { plainText } from '../table.ts'
import { deviceGroup } from './device-group.ts'

const devices = recordList({
  ...{ called: 'devices', operation: deviceOperations.listDevices, list: listDevices, present: presentDevice },
  async cellsOf(rows, place) {
    const emails = await emailsOf(
      place,
      rows.map((row) => row.registered_owner_id),
    )
    return rows.map((row) => [
      ...[row.id, row.name, row.device_type, shownState[row.auth_state]],
      ...[emails.get(row.registered_owner_id) ?? null, row.last_seen_at],
    ])
  },
})

export const deviceCommands = implement(deviceGroup, {
  list: (context, asked, io) =>
    listRecords(context, asked, { lists: [devices], heads: ['ID', 'NAME', 'TYPE', 'STATE', 'OWNER', 'LAST SEEN'] }, io),

  async register({ connection, now }, { organization, id, personEmail }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    await transact(connection.db, async (tx) => {
      const person = await findPerson(tx, organizationId, personEmail)
      const registration = { deviceId: id, personId: person.id, isDecided: true } as const
      await registerDevice(tx, registration, terminalChange(organizationId, now))
    })
    await io.line(`Registered device ${id} to ${personEmail}`)
  },

  async assignOwners({ connection, now }, { organization, csv, dryRun = false }, io) {
    const { db } = connection
    const { id: organizationId } = await organizationOf(db, organization)
    const preview = await previewOwnerList(db, organizationId, csv)
    const { lines } = preview
    await io.line(describeColumns(preview))
    for (const line of lines) await io.line(describeOwnerLine(line))
    const wanted = lines.flatMap(({ outcome, device, person }) =>
      device && person && (outcome === 'new' || outcome === 'replaced')
        ? [{ deviceId: device.id, personId: person.id }]
        : [],
    )
    const left = lines.filter(({ outcome }) => outcome === 'refused').length
    if (dryRun) {
      const refusals = left === 1 ? '1 line is refused' : `${left} lines are refused`
      await io.line(`Would register ${wanted.length} of ${devicesIn(lines)}; ${refusals}`)
      return 0
    }
    const asked = { registrations: wanted, requirePower: whoeverMayRunThis }
    const done = await assignOwners(db, asked, terminalChange(organizationId, now))
    for (const { device_id: id, reason } of done.refused) await io.error(`Device ${id}: ${reason}`)
    const refused = left + done.refused.length
    const refusals = refused === 1 ? '1 line was refused' : `${refused} lines were refused`
    await io.line(`Registered ${done.registered_count} of ${devicesIn(lines)}; ${refusals}`)
    return refused === 0 ? 0 : exitCodes.failure
  },

  async confirmRegistration(context, { organization, id }, io) {
    await changeIn(context, organization, (tx, change) => confirmRegistration(tx, { deviceId: id }, change))
    await io.line(`Confirmed the registration of device ${id}`)
  },

  async resolveIdentityConflict(context, { organization, id }, io) {
    await changeIn(context, organization, (tx, change) => resolveIdentityConflict(tx, { deviceId: id }, change))
    await io.line(`Resolved the identity conflict of device ${id}`)
  },

  async restore(context, { organization, id }, io) {
    await changeIn(context, organization, (tx, change) => restoreDevice(tx, { deviceId: id }, change))
    await io.line(`Restored device ${id}`)
  },

  async merge({ connection, now }, { organization, id, other, oneMachine = false, dryRun = false }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const pair = { organizationId, keptId: id, otherId: other }
    if (dryRun) {
      for (const line of describeMerge(await previewMerge(connection.db, pair, now))) await io.line(line)
      return 0
    }
    const merge = { keptId: id, otherId: other, isOneMachine: oneMachine, requirePower: whoeverMayRunThis }
    await transact(connection.db, (tx) => mergeDevices(tx, merge, terminalChange(organizationId, now)))
    await io.line(`Merged device ${other} into device ${id}; ${other} is deleted`)
    return 0
  },

  async exemptCheck({ connection, now }, { organization, id, check: named, reason, until }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const check = await findCheck(connection.db, organizationId, named)
    const expiresAt = until === undefined ? null : new Date(until).toISOString()
    const exemption = { deviceId: id, checkId: check.id, reason, expiresAt }
    await transact(connection.db, (tx) => exemptCheck(tx, exemption, terminalChange(organizationId, now)))
    await io.line(
      `Exempted device ${id} from ${check.slug} ${expiresAt === null ? 'with no end' : `until ${expiresAt}`}`,
    )
  },

  async endExemption({ connection, now }, { organization, id, check: named }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const check = await findCheck(connection.db, organizationId, named)
    const ending = { deviceId: id, checkId: check.id }
    await transact(connection.db, (tx) => endExemption(tx, ending, terminalChange(organizationId, now)))
    await io.line(`Device ${id} is in the scope of ${check.slug}`)
  },

  async snooze({ connection, now }, { organization, id, check: named }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const check = await findCheck(connection.db, organizationId, named)
    const snooze = { deviceId: id, checkId: check.id }
    const until = await transact(connection.db, (tx) => snoozeCheck(tx, snooze, terminalChange(organizationId, now)))
    await io.line(`Snoozed ${check.slug} on device ${id} until ${until}`)
  },
})

const devicesIn = ({ length }: readonly unknown[]): string => (length === 1 ? '1 device' : `${length} devices`)

/** What of the list counts, and how it was read. */
function describeColumns({ columns, names_line: namesLine, separator }: OwnerListPreview): string {
  const namesOf = (kind: 'device' | 'owner') =>
    columns.flatMap(({ name, means }) => (means === kind ? [plainText(name)] : [])).join(', ')
  const what =
    columns.length === 0
      ? 'Read two columns: devices and owners'
      : `Read devices from ${namesOf('device')}; owners from ${namesOf('owner')}`
  const where = namesLine === null ? 'no line of names' : `names in line ${namesLine}`
  return `${what}; ${where}; separated by ${separator}`
}

/** `line 2: serial C02XL0GTJGH5, email ana@acme.example: to Ana Ruiz (ana@acme.example)`, with what speaks against it. */
function describeOwnerLine({ line, cells, outcome, reason, person, owner }: OwnerListLine): string {
  const read = cells.map(({ column, text }) => plainText(column === null ? text : `${column} ${text}`)).join(', ')
  const nameOf = (one: typeof person) => `${plainText(one?.name ?? '')} (${plainText(one?.email ?? '')})`
  const start = `line ${line}: ${read === '' ? '' : `${read}: `}`
  if (outcome === 'refused') return `${start}refused. ${plainText(reason ?? '')}`
  if (outcome === 'unchanged') return `${start}${reason ?? `registered to ${nameOf(person)} already`}`
  return `${start}to ${nameOf(person)}${outcome === 'replaced' ? `, instead of ${nameOf(owner)}` : ''}`
}
