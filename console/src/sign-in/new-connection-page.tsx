import { Button } from '@mantine/core'
import type { NewSignInConnection } from '@muster/contract/console-sign-in.ts'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { ChoiceCards } from '../developers/choice-cards.tsx'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import './sign-in.css'
import { ConnectionFields, connectionFieldNames } from './connection-fields.tsx'
import { bodyOf, type ConnectionInput, noInput, readKeySet } from './connection-input.ts'
import { evidenceInWords } from './connection-words.ts'
import { type ProviderName, providerOf, providers } from './providers.tsx'
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

const evidenceOf = ({ requestKeys, isHintTrusted }: ConnectionInput): string =>
  evidenceInWords({ evidence: readKeySet(requestKeys) ? 'asserted' : 'hinted', is_hint_trusted: isHintTrusted })

const MadeConnection = ({ connection, provider, input }: Made) => (
  <>
    <p>It observes: no device is refused. Enforce once the first sign-ins look right. {evidenceOf(input)}</p>
    {connection.client_secret !== null && (
      <SecretOnce
        label="Client secret"
        secret={connection.client_secret}
        after="Copy it now: it is not shown again. A lost one can be replaced."
      />
    )}
    <section className="form-section">
      <h2>
        At{' '}
        {providerOf(provider).title === 'OpenID Connect application' ? 'the application' : providerOf(provider).title}
      </h2>
      <SetupSteps
        provider={provider}
        values={{
          issuer: connection.issuer,
          clientId: connection.client_id,
          secret: connection.client_secret,
          redirectUris: bodyOf(input).redirect_uris,
        }}
      />
    </section>
    <p>
      <Link className="u" to="/connections/$connectionId" params={{ connectionId: connection.id }}>
        Go to the connection
      </Link>
    </p>
  </>
)

function NewConnectionForm({ onMade }: { onMade: (made: Made) => void }) {
  const [provider, setProvider] = useState<ProviderName>('oidc')
  const [isPublic, setIsPublic] = useState(false)
  const [input, setInput] = useState(noInput)
  const { title, redirectHint, redirectExample, evidence } = providerOf(provider)
  const choose = (name: ProviderName) => {
    setProvider(name)
    setInput({ ...input, isHintTrusted: providerOf(name).isHintTrusted })
  }
  const create = useAction({
    act: async () => {
      if (readKeySet(input.requestKeys) === undefined) throw new Error('The keys are no JWK set: {"keys": […]}')
      const body = bodyOf(input)
      const name = body.name === '' ? title : body.name
      return api('createSignInConnection', { body: { ...body, name, mode: 'observe', is_public: isPublic } })
    },
    refresh: [['connections']],
    hasForm: true,
    onDone: (connection) => onMade({ connection, provider, input }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <ChoiceCards legend="Who asks Muster" name="provider" value={provider} onChange={choose} options={providers} />
      <ConnectionFields
        value={input}
        onChange={setInput}
        faultOf={create.faultOf}
        redirect={{ hint: redirectHint, example: redirectExample }}
        evidence={evidence}
      />
      {provider === 'oidc' && (
        <ChoiceCards
          legend="Client"
          name="client"
          value={isPublic ? 'public' : 'secret'}
          onChange={(value) => setIsPublic(value === 'public')}
          options={[
            { value: 'secret', title: 'With a secret', text: 'An application with a server that keeps a secret.' },
            { value: 'public', title: 'Public', text: 'A page or an app that proves itself by PKCE alone.' },
          ]}
        />
      )}
      <FormFault error={create.faultBeside(...connectionFieldNames)} />
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
