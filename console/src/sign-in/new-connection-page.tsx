import { Button } from '@mantine/core'
import type { NewSignInConnection } from '@muster/contract/console-sign-in.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { FormFault } from '../components/form-fault.tsx'
import { GuideLink } from '../components/guide-link.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'
import { useAction } from '../components/use-action.ts'
import { ChoiceCards } from '../developers/choice-cards.tsx'
import '../developers/developers.css'
import './sign-in.css'
import { ConnectionFields } from './connection-fields.tsx'
import { areKeysReadable, bodyOf, type ConnectionInput, noInput, readKeySet } from './connection-input.ts'
import { keysLacking } from './connection-words.ts'
import { firstProviderOf, type ProviderName, providerOf, providersOf, readerOf } from './providers.tsx'
import { ReachNote } from './reach-note.tsx'
import { SetupSteps } from './setup-steps.tsx'
import { connectionsCrumb } from './with-connection.tsx'

type Made = {
  readonly connection: NewSignInConnection
  readonly provider: ProviderName
  readonly input: ConnectionInput
}

export function NewConnectionPage() {
  const may = useMay('manage_sign_in')
  const [made, setMade] = useState<Made>()
  return (
    <Page title={made ? 'Connection created' : 'New connection'} crumb={connectionsCrumb}>
      <div className="page form-page">
        {!may && <MissingPermission power="manage_sign_in" />}
        {may && !made && <NewConnectionForm onMade={setMade} />}
        {made && <MadeConnection {...made} />}
      </div>
    </Page>
  )
}

const kinds = [
  {
    value: 'second_step',
    title: 'Our identity provider signs people in, then asks Muster',
    text: 'You state that this caller has signed the person in before it asks. Its requests are signed, and you give Muster its public keys. Okta asks this way.',
  },
  {
    value: 'application',
    title: 'An application sends people to Muster first',
    text: 'The application sends people to Muster, and Muster sends them to the identity provider first. Keycloak, authentik and Google Workspace work this way.',
  },
] as const

const keysLater =
  'Where the caller makes its keys later, leave this blank: the connection stays disabled until you add them.'

const needsKeys = ({ kind, requestKeys }: ConnectionInput): boolean =>
  kind === 'second_step' && readKeySet(requestKeys) === null

function MadeConnection({ connection, provider, input }: Made) {
  const body = bodyOf(input)
  return (
    <>
      {needsKeys(input) ? (
        <p className="note will">It is disabled: it has no keys. {keysLacking}</p>
      ) : (
        <p>It observes: no device is refused. Enforce once the first sign-ins look right.</p>
      )}
      {connection.client_secret !== null && (
        <SecretOnce
          label="Client secret"
          secret={connection.client_secret}
          after="Copy it now: it is not shown again. A lost one can be replaced."
        />
      )}
      <section className="form-section">
        <h2>At {provider === 'okta' ? 'Okta' : input.kind === 'application' ? 'the application' : 'the caller'}</h2>
        <SetupSteps
          provider={provider}
          values={{
            issuer: connection.issuer,
            clientId: connection.client_id,
            secret: connection.client_secret,
            redirectUris: body.redirect_uris,
            postLogoutUris: body.post_logout_redirect_uris,
            requiresPkce: body.requires_pkce,
          }}
        />
      </section>
      <p>
        <Link className="underlined" to="/connections/$connectionId" params={{ connectionId: connection.id }}>
          Go to the connection
        </Link>
      </p>
    </>
  )
}

function NewConnectionForm({ onMade }: { onMade: (made: Made) => void }) {
  const [provider, setProvider] = useState<ProviderName>(firstProviderOf(noInput.kind))
  const [input, setInput] = useState(noInput)
  const { title, redirectHint, redirectExample, aboutKeys } = providerOf(provider)
  const facts = useQuery(settingFactsQuery)
  const callers = providersOf(input.kind)
  const chooseKind = (kind: typeof input.kind) => {
    setInput({ ...input, kind })
    setProvider(firstProviderOf(kind))
  }
  const create = useAction({
    act: async () => {
      if (!areKeysReadable(input.requestKeys)) throw new Error('The keys are no JWK set: {"keys": […]}')
      const body = bodyOf(input)
      const name = body.name === '' ? title : body.name
      const mode = needsKeys(input) ? 'disabled' : 'observe'
      const chosen = { kind: input.kind, mode, is_public: provider !== 'okta' && input.isPublic } as const
      return api('createSignInConnection', { body: { ...body, ...chosen, name } })
    },
    refresh: ['connections'],
    hasForm: true,
    onDone: (connection) => onMade({ connection, provider, input }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <ChoiceCards
        legend="How people are signed in"
        name="kind"
        value={input.kind}
        onChange={chooseKind}
        options={kinds}
      />
      <p className="small secondary">
        Microsoft Entra, as external MFA, is added in the terminal: <code>muster connections add entra</code>.{' '}
        <GuideLink name="sign-in-entra">Learn more</GuideLink>
      </p>
      {callers.length > 1 && (
        <ChoiceCards
          legend="Who asks Muster"
          name="provider"
          value={provider}
          onChange={setProvider}
          options={callers}
        />
      )}
      <ReachNote provider={provider} />
      <LoadFailure what="The address of this server" query={facts} />
      <UnreachableAddress address={facts.data?.base_url} reader={readerOf(provider)} />
      <ConnectionFields
        value={input}
        onChange={setInput}
        faultOf={create.faultOf}
        redirect={{ hint: redirectHint, example: redirectExample }}
        aboutKeys={input.kind === 'second_step' ? `${aboutKeys} ${keysLater}` : aboutKeys}
      />
      {provider !== 'okta' && (
        <ChoiceCards
          legend="Client"
          name="client"
          value={input.isPublic ? 'public' : 'secret'}
          onChange={(value) => setInput({ ...input, isPublic: value === 'public' })}
          options={[
            { value: 'secret', title: 'With a secret', text: 'An application with a server that keeps a secret.' },
            { value: 'public', title: 'Public', text: 'A page or an app that proves itself by PKCE alone.' },
          ]}
        />
      )}
      <FormFault error={create.faultBeside} />
      <div className="form-ends">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Create the connection
        </Button>
        <Button component={Link} to="/connections" variant="subtle">
          Cancel
        </Button>
      </div>
    </form>
  )
}
