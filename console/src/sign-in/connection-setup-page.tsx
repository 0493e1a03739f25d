import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import type { GuideName } from '@muster/contract/guides.ts'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { GuideLink } from '../components/guide-link.tsx'
import { firstProviderOf, type ProviderName, providersOf } from './providers.tsx'
import { ReachNote } from './reach-note.tsx'
import { SetupSteps } from './setup-steps.tsx'
import { WithConnection } from './with-connection.tsx'

const route = getRouteApi('/shell/connections/$connectionId/setup')

export function ConnectionSetupPage() {
  const { connectionId } = route.useParams()
  return (
    <WithConnection id={connectionId}>
      {(connection) => <Setup key={connection.id} connection={connection} />}
    </WithConnection>
  )
}

const guides: Readonly<Partial<Record<ProviderName, GuideName>>> = {
  entra: 'sign-in-entra',
  okta: 'sign-in-okta-posture',
}

/** What to enter and select at the other side, after the connection was made as well. */
function Setup({ connection }: { connection: SignInConnectionView }) {
  const options = providersOf(connection.kind)
  const [provider, setProvider] = useState<ProviderName>(firstProviderOf(connection.kind))
  return (
    <section className="form-section">
      {options.length > 1 && (
        <label className="field">
          <span className="medium">Set up at</span>
          <select
            className="select tall-select"
            value={provider}
            onChange={(event) => setProvider(event.currentTarget.value as ProviderName)}
          >
            {options.map(({ value, title }) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      <ReachNote provider={provider} />
      {connection.issuer === null ? (
        <p className="note will">The organization has no address of its own yet, so that there is no issuer.</p>
      ) : (
        <SetupSteps
          provider={provider}
          values={{
            issuer: connection.issuer,
            clientId: connection.client_id,
            secret: connection.is_public ? null : undefined,
            redirectUris: connection.redirect_uris,
            postLogoutUris: connection.post_logout_redirect_uris,
            requiresPkce: connection.requires_pkce,
          }}
        />
      )}
      <p className="small secondary">
        <GuideLink name={guides[provider] ?? 'sign-in'}>Learn more</GuideLink>
      </p>
    </section>
  )
}
