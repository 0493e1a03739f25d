import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { requireSignInAddress } from '../../sign-in/connections/sign-in-address.ts'
import { upstreamEgress } from '../../sign-in/egress/upstream-egress.ts'
import { changeUpstream, deleteUpstream, replaceUpstreamSecret } from '../../sign-in/upstreams/change-upstream.ts'
import { createUpstream } from '../../sign-in/upstreams/create-upstream.ts'
import { returnPath, signedOutPath } from '../../sign-in/upstreams/open-upstreams.ts'
import { readMetadata } from '../../sign-in/upstreams/read-metadata.ts'
import { googleIssuer } from '../../sign-in/upstreams/upstream-options.ts'
import { findUpstream, listUpstreams, type Upstream } from '../../sign-in/upstreams/upstream-queries.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns, alignFields } from '../table.ts'
import { upstreamGroup } from './upstream-group.ts'

export const upstreamCommands = implement(upstreamGroup, {
  async create({ connection, secrets, config, now }, { organization: named, tenant, tenantClaim, ...asked }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const address = await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    const { provider = 'oidc', issuer = provider === 'google' ? googleIssuer : undefined, ...client } = asked
    if (issuer === undefined) throw new CommandError(exitCodes.usage, 'Give the issuer of the provider as --issuer')
    const metadata = await readMetadata(upstreamEgress(config), { provider, issuer, ...client })
    const pinned = tenant === undefined ? {} : { tenant: { claim: tenantClaim ?? 'hd', value: tenant } }
    const wanted = { ...client, ...pinned, provider, metadata }
    const context = terminalChange(organizationId, now)
    const { id } = await transact(connection.db, (tx) => createUpstream(tx, secrets, wanted, context))
    await io.line(`Upstream:         ${id}`)
    await io.line(`Redirect address: ${address}${returnPath}`)
    // A provider without an address for signing out leads nobody back from there.
    if (metadata.endSessionEndpoint !== null) await io.line(`Sign-out address: ${address}${signedOutPath}`)
    await io.error(
      `Enter the redirect address at the provider${client.signsOut ? ' and the sign-out address' : ''}, then: muster connections add application … --upstream ${id}`,
    )
  },

  async change(context, { organization: named, id, tenant, tenantClaim, ...given }, io) {
    const [isChanged, now] = await changeIn(context, named, async (tx, change) => {
      const { organizationId } = change
      const before = orNotFound(await findUpstream(tx, organizationId, id))
      const wanted = { ...given, ...tenantOf(before, tenant, tenantClaim), id }
      const isChanged = await changeUpstream(tx, wanted, change)
      return [isChanged, orNotFound(await findUpstream(tx, organizationId, id))] as const
    })
    await io.line(`Upstream ${id} is ${isChanged ? 'changed' : 'as it was'}`)
    for (const line of alignFields(factsOf(now))) await io.line(line)
  },

  async list({ connection }, { organization: named }, io) {
    const { id } = await organizationOf(connection.db, named)
    const rows = (await listUpstreams(connection.db, id)).map((one) => [
      ...[one.id, one.name, one.provider, one.issuer],
      ...[tenantWords(one), one.email_domains.join(',')],
      ...[one.creates_people, one.signs_out].map((is) => (is ? 'yes' : 'no')),
    ])
    const heads = ['ID', 'NAME', 'PROVIDER', 'ISSUER', 'TENANT', 'DOMAINS', 'CREATES PEOPLE', 'SIGNS PEOPLE OUT']
    for (const line of alignColumns(heads, rows)) await io.line(line)
  },

  async replaceSecret(context, { organization: named, ...wanted }, io) {
    await changeIn(context, named, (tx, change) => replaceUpstreamSecret(tx, context.secrets, wanted, change))
    await io.line(`Upstream ${wanted.id}: another client secret`)
  },

  async delete(context, { organization: named, id }, io) {
    await changeIn(context, named, (tx, change) => deleteUpstream(tx, { id }, change))
    await io.line(`Upstream ${id} deleted`)
  },
})

const tenantWords = ({ tenant_claim: claim, tenant_value: value }: Upstream): string =>
  claim === null ? '' : `${claim}=${value}`

const factsOf = (one: Upstream) =>
  [
    ['Name', one.name],
    ['Tenant', tenantWords(one) || null],
    ['Domains', one.email_domains.join(', ') || 'any verified address'],
    ['Creates people', one.creates_people ? 'yes' : 'no'],
    ['Signs people out', one.signs_out ? 'yes' : 'no'],
  ] as const

/** The tenant that the flags give: what they leave out of it stays. */
function tenantOf(before: Upstream, value: string | false | undefined, claim: string | undefined) {
  if (value === false) return { tenant: null }
  if (value === undefined && claim === undefined) return {}
  const kept = value ?? before.tenant_value
  if (kept === null) throw new CommandError(exitCodes.usage, 'Give what the claim has to say as --tenant')
  return { tenant: { claim: claim ?? before.tenant_claim ?? 'hd', value: kept } }
}
