import { transact } from '../../base/db/transact.ts'
import { requireSignInAddress } from '../../sign-in/connections/sign-in-address.ts'
import { deleteUpstream, replaceUpstreamSecret } from '../../sign-in/upstreams/change-upstream.ts'
import { createUpstream } from '../../sign-in/upstreams/create-upstream.ts'
import { returnPath } from '../../sign-in/upstreams/open-upstreams.ts'
import { readMetadata } from '../../sign-in/upstreams/read-metadata.ts'
import { upstreamEgress } from '../../sign-in/upstreams/upstream-egress.ts'
import { googleIssuer } from '../../sign-in/upstreams/upstream-options.ts'
import { listUpstreams } from '../../sign-in/upstreams/upstream-queries.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
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
    await io.error(
      `Enter the redirect address at the provider, then: muster connections add application … --upstream ${id}`,
    )
  },

  async list({ connection }, { organization: named }, io) {
    const { id } = await organizationOf(connection.db, named)
    const rows = (await listUpstreams(connection.db, id)).map((one) => [
      ...[one.id, one.name, one.provider, one.issuer],
      one.tenant_claim === null ? '' : `${one.tenant_claim}=${one.tenant_value}`,
      one.email_domains.join(','),
    ])
    for (const line of alignColumns(['ID', 'NAME', 'PROVIDER', 'ISSUER', 'TENANT', 'DOMAINS'], rows))
      await io.line(line)
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
