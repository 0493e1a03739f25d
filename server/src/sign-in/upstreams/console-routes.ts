import type { NewSignInUpstream, SignInUpstreamView } from '@muster/contract/console-upstreams.ts'
import { signInOperations } from '@muster/contract/operations/console-sign-in.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { recordIdOf, sessionRoute } from '../../http/session-endpoint.ts'
import { findSignInAddress, requireSignInAddress } from '../connections/sign-in-address.ts'
import { upstreamEgress } from '../egress/upstream-egress.ts'
import { changeUpstream, deleteUpstream, replaceUpstreamSecret } from './change-upstream.ts'
import { createUpstream } from './create-upstream.ts'
import { returnPath, signedOutPath } from './open-upstreams.ts'
import { readMetadata } from './read-metadata.ts'
import { listUpstreamPage, type Upstream } from './upstream-queries.ts'

/** The identity providers that people sign in at before their device is checked, for administrators. */
export function upstreamRoutes(scope: FastifyInstance): void {
  const { db, secrets, config } = scope.kit
  const egress = upstreamEgress(config)

  sessionRoute(scope, {
    ...signInOperations.createSignInUpstream,
    run: async ({ body, context }): Promise<NewSignInUpstream> => {
      const address = await requireSignInAddress(db, context.organizationId, config.baseUrl)
      const { issuer, client_id: clientId, client_secret: clientSecret, provider, name } = body
      const metadata = await readMetadata(egress, { provider, issuer, clientId, clientSecret })
      const wanted = { ...optionsOf(body), name, provider, clientId, clientSecret, metadata }
      const { id } = await transact(db, (tx) => createUpstream(tx, secrets, wanted, context))
      return { id, redirect_uri: `${address}${returnPath}`, post_logout_redirect_uri: `${address}${signedOutPath}` }
    },
  })
  sessionRoute(scope, {
    ...signInOperations.changeSignInUpstream,
    run: async (call) => {
      const change = { ...optionsOf(call.body), id: recordIdOf(call) }
      await transact(db, (tx) => changeUpstream(tx, change, call.context))
    },
  })
  sessionRoute(scope, {
    ...signInOperations.replaceSignInUpstreamSecret,
    run: async (call) => {
      const wanted = { id: recordIdOf(call), clientSecret: call.body.client_secret }
      await transact(db, (tx) => replaceUpstreamSecret(tx, secrets, wanted, call.context))
    },
  })
  sessionRoute(scope, {
    ...signInOperations.deleteSignInUpstream,
    run: async (call) => {
      await transact(db, (tx) => deleteUpstream(tx, { id: recordIdOf(call) }, call.context))
    },
  })
}

/** The list of them, which the API does not have. */
export function upstreamViewRoutes(scope: FastifyInstance): void {
  const { db, config } = scope.kit
  listEndpoint(scope, {
    ...signInOperations.listSignInUpstreams,
    isSmall: true,
    list: async (reader, page) => {
      const address = await findSignInAddress(db, page.organizationId, config.baseUrl)
      return (await listUpstreamPage(reader, page)).map((row) => ({ ...row, address }))
    },
    present: presentUpstream,
  })
}

type Options = {
  name?: string
  tenant?: { claim: string; value: string } | null
  email_domains?: string[]
  creates_people?: boolean
  signs_out?: boolean
}

/** What a body says of an upstream, in the names of the commands. */
const optionsOf = ({ name, tenant, email_domains: emailDomains, ...flags }: Options) => ({
  ...(name !== undefined && { name }),
  ...(tenant !== undefined && { tenant }),
  ...(emailDomains !== undefined && { emailDomains }),
  ...(flags.creates_people !== undefined && { createsPeople: flags.creates_people }),
  ...(flags.signs_out !== undefined && { signsOut: flags.signs_out }),
})

function presentUpstream(row: Upstream & { address: string | undefined }): SignInUpstreamView {
  const { tenant_claim: claim, tenant_value: value, address } = row
  return {
    id: row.id,
    provider: row.provider,
    issuer: row.issuer,
    client_id: row.client_id,
    name: row.name,
    tenant: claim === null || value === null ? null : { claim, value },
    email_domains: row.email_domains,
    creates_people: row.creates_people,
    signs_out: row.signs_out,
    redirect_uri: address === undefined ? null : `${address}${returnPath}`,
    post_logout_redirect_uri: address === undefined ? null : `${address}${signedOutPath}`,
    created_at: row.created_at,
  }
}
