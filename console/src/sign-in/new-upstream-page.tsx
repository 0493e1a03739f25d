import { Button, NativeSelect, TextInput } from '@mantine/core'
import type { NewSignInUpstream } from '@muster/contract/console-upstreams.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { GuideLink } from '../components/guide-link.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'
import { useAction } from '../components/use-action.ts'
import '../developers/developers.css'
import './sign-in.css'
import { SignOutAddress } from './sign-out-address.tsx'
import { UpstreamFields } from './upstream-fields.tsx'
import {
  hasSignOut,
  newUpstreamBodyOf,
  noUpstream,
  productWords,
  type UpstreamProduct,
  upstreamsCrumb,
} from './upstream-input.ts'

type Made = { readonly upstream: NewSignInUpstream; readonly provider: UpstreamProduct }

export function NewUpstreamPage() {
  const may = useMay('manage_sign_in')
  const [made, setMade] = useState<Made>()
  return (
    <Page title={made ? 'Identity provider added' : 'Add identity provider'} crumb={upstreamsCrumb}>
      <div className="page form-page">
        {!may && <MissingPermission power="manage_sign_in" />}
        {may && !made && <NewUpstreamForm onMade={setMade} />}
        {made && <MadeUpstream {...made} />}
      </div>
    </Page>
  )
}

const MadeUpstream = ({ upstream, provider }: Made) => (
  <section className="form-section">
    <p>Muster has read its metadata. Enter this redirect address at the provider, exactly:</p>
    <CodeBlock text={upstream.redirect_uri} label="Redirect address" />
    <UnreachableAddress address={upstream.redirect_uri} reader={{ browserFrom: undefined }} />
    {hasSignOut(provider) && <SignOutAddress address={upstream.post_logout_redirect_uri} />}
    <p>
      Then{' '}
      <Link className="underlined" to="/connections/new">
        create a connection
      </Link>{' '}
      for each application whose people sign in there, or{' '}
      <Link className="underlined" to="/connections/upstreams/$upstreamId" params={{ upstreamId: upstream.id }}>
        go to the identity provider
      </Link>
      .
    </p>
  </section>
)

const guides: Readonly<Record<UpstreamProduct, Parameters<typeof GuideLink>[0]['name']>> = {
  google: 'sign-in-google-workspace',
  entra: 'sign-in-entra-upstream',
  okta: 'sign-in-okta',
  keycloak: 'sign-in-keycloak',
  authentik: 'sign-in-authentik',
  zitadel: 'sign-in-openid-connect',
  auth0: 'sign-in-openid-connect',
  oidc: 'sign-in-openid-connect',
}

const issuers: Readonly<Partial<Record<UpstreamProduct, string>>> = {
  entra: 'https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/v2.0',
  okta: 'https://example.okta.com',
}

function NewUpstreamForm({ onMade }: { onMade: (made: Made) => void }) {
  const facts = useQuery(settingFactsQuery)
  const [input, setInput] = useState(noUpstream)
  const create = useAction({
    act: () => api('createSignInUpstream', { body: newUpstreamBodyOf(input) }),
    refresh: ['listSignInUpstreams', 'audit'],
    hasForm: true,
    onDone: (upstream) => onMade({ upstream, provider: input.provider }),
  })
  const set = (change: Partial<typeof input>) => setInput({ ...input, ...change })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <NativeSelect
        label="Product"
        value={input.provider}
        onChange={(event) => set({ provider: event.currentTarget.value as UpstreamProduct })}
        data={Object.entries(productWords).map(([value, label]) => ({ value, label }))}
      />
      <p className="small secondary">
        First make a client for Muster there. <GuideLink name={guides[input.provider]}>How to</GuideLink>
      </p>
      <LoadFailure what="The address of this server" query={facts} />
      <UnreachableAddress address={facts.data?.base_url} reader={{ browserFrom: productWords[input.provider] }} />
      {input.provider !== 'google' && (
        <TextInput
          label="Issuer"
          description="As the provider writes it. Muster reads its metadata there."
          type="url"
          placeholder={issuers[input.provider] ?? 'https://id.example.com/realms/main'}
          value={input.issuer}
          maxLength={500}
          error={create.faultOf('issuer')}
          onChange={(event) => set({ issuer: event.currentTarget.value })}
        />
      )}
      <TextInput
        label="Client ID"
        value={input.clientId}
        maxLength={255}
        error={create.faultOf('client_id')}
        onChange={(event) => set({ clientId: event.currentTarget.value })}
      />
      <PasswordField
        label="Client secret"
        description="It is sealed, and not shown again."
        autoComplete="off"
        value={input.clientSecret}
        maxLength={500}
        error={create.faultOf('client_secret')}
        onChange={(event) => set({ clientSecret: event.currentTarget.value })}
      />
      <UpstreamFields provider={input.provider} value={input} onChange={setInput} faultOf={create.faultOf} />
      <FormFault error={create.faultBeside} />
      <div className="form-ends">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Add identity provider
        </Button>
        <Button component={Link} to="/connections/upstreams" variant="subtle">
          Cancel
        </Button>
      </div>
    </form>
  )
}
