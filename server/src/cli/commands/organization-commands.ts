import { ensurePackages } from '../../agents/packages/ensure-packages.ts'
import { openPackageSite } from '../../agents/packages/site.ts'
import { isOrigin } from '../../base/config/value-rules.ts'
import { transact } from '../../base/db/transact.ts'
import { enableCatalogue } from '../../checks/definitions/enable-catalogue.ts'
import { changeSettings } from '../../inventory/organizations/change-settings.ts'
import { createOrganization } from '../../inventory/organizations/create-organization.ts'
import { endOldAddresses } from '../../inventory/organizations/end-old-addresses.ts'
import { renameOrganization } from '../../inventory/organizations/rename-organization.ts'
import { setBaseUrl } from '../../inventory/organizations/set-base-url.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'
import { findSettings } from '../../inventory/organizations/settings.ts'
import { type OrganizationSettings, usualSettings } from '../../inventory/organizations/usual-settings.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf, terminalActor, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { organizationGroup, settingNames } from './organization-group.ts'

export const organizationCommands = implement(organizationGroup, {
  async list({ connection }, _args, io) {
    const rows = await connection.db.selectFrom('organizations').selectAll().orderBy('id').execute()
    const table = rows.map((row) => [
      row.id,
      row.name,
      row.created_at,
      row.base_url,
      row.disabled_features.join(', ') || null,
    ])
    const heads = ['ID', 'NAME', 'CREATED', 'BASE ADDRESS', 'SWITCHED OFF']
    for (const line of alignColumns(heads, table)) await io.line(line)
  },

  async create({ connection, secrets, config, now }, { name, withoutChecks }, io) {
    const site = await openPackageSite(config)
    const id = await transact(connection.db, async (tx) => {
      const made = await createOrganization(tx, { name, actor: terminalActor(), now })
      const context = terminalChange(made.id, now)
      if (!withoutChecks) await enableCatalogue(tx, context)
      await ensurePackages(tx, secrets, { site }, context)
      return made.id
    })
    await io.line(id)
  },

  async rename({ connection, now }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const change = { name: args.name }
    await transact(connection.db, (tx) => renameOrganization(tx, change, terminalChange(id, now)))
    await io.line(`Organization ${id} is called ${args.name.trim()} now`)
  },

  async setBaseUrl({ connection, config, now }, { organization, url }, io) {
    const { id, name } = await organizationOf(connection.db, organization)
    if (!isOrigin(url))
      throw new CommandError(exitCodes.usage, `${url} must be an origin, such as https://acme.example.com`)
    const baseUrl = new URL(url).origin
    const change = { baseUrl, commonBaseUrl: config.baseUrl }
    await transact(connection.db, (tx) => setBaseUrl(tx, change, terminalChange(id, now)))
    await io.line(`The base address of ${name} is ${baseUrl} now`)
    await io.error(
      `Have DNS, TLS and the proxy bring ${new URL(baseUrl).host} here, with its Host header. The old address keeps working until you end it: muster organizations end-old-addresses --organization ${id}. Streams keep their issuer until you move them: muster streams move --organization ${id} --all`,
    )
  },

  async endOldAddresses({ connection, now }, { organization }, io) {
    const { id, name } = await organizationOf(connection.db, organization)
    await transact(connection.db, (tx) => endOldAddresses(tx, terminalChange(id, now)))
    await io.line(`API keys and SCIM tokens of ${name} are valid at its own address only`)
  },

  async settings({ connection }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const settings = await findSettings(connection.db, id)
    const rows = settingNames.map((name) => [name, shown(settings[name]), shown(usualSettings[name])])
    for (const line of alignColumns(['SETTING', 'NOW', 'USUAL'], rows)) await io.line(line)
  },

  async set({ connection, now }, { organization, setting, value }, io) {
    const { id, name } = await organizationOf(connection.db, organization)
    const wanted = { [setting]: readSetting(setting, value) }
    const change = { wanted }
    const isChanged = await transact(connection.db, (tx) => changeSettings(tx, change, terminalChange(id, now)))
    const { [setting]: is } = await findSettings(connection.db, id)
    await io.line(`${setting} is ${isChanged ? 'now' : 'already'} ${shown(is)} for ${name}`)
  },

  async setFeature({ connection, now }, args, io) {
    const { id, name } = await organizationOf(connection.db, args.organization)
    const change = { feature: args.feature, isOn: args.isOn }
    const isChanged = await transact(connection.db, (tx) => setFeature(tx, change, terminalChange(id, now)))
    await io.line(`${args.feature} is ${isChanged ? 'now' : 'already'} ${args.isOn ? 'on' : 'off'} for ${name}`)
  },
})

const shown = (value: OrganizationSettings[keyof OrganizationSettings]): string => String(value) || 'none'

/** `usual` is null, which resets it. */
function readSetting(setting: keyof OrganizationSettings, value: string): number | boolean | string[] | null {
  if (value === 'usual') return null
  if (setting === 'registration_required_checks') {
    if (/^\d{1,18}(,\d{1,18}){0,19}$/.test(value)) return value.split(',')
    throw new CommandError(exitCodes.usage, `${setting} is identifiers of checks such as 3,14, or usual`)
  }
  const isFlag = typeof usualSettings[setting] === 'boolean'
  if (isFlag && (value === 'true' || value === 'false')) return value === 'true'
  if (!isFlag && /^\d{1,6}$/.test(value)) return Number(value)
  throw new CommandError(exitCodes.usage, `${setting} is ${isFlag ? 'true or false' : 'a number of days'}, or usual`)
}
