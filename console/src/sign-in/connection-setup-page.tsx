import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { GuideLink } from '../components/guide-link.tsx'
import { type ProviderName, providerOf, providers } from './providers.tsx'
import { SetupSteps } from './setup-steps.tsx'
import { WithConnection } from './with-connection.tsx'

const route = getRouteApi('/shell/connections/$connectionId/setup')

/** What to enter and select at the other side, after the connection was made as well. */
export function ConnectionSetupPage() {
  const { connectionId } = route.useParams()
  const [provider, setProvider] = useState<ProviderName>('oidc')
  return (
    <WithConnection id={connectionId}>
      {(connection) => (
        <section className="form-section">
          <label className="field">
            <span className="m">Set up at</span>
            <select
              className="select tall-select"
              value={provider}
              onChange={(event) => setProvider(event.currentTarget.value as ProviderName)}
            >
              {providers.map(({ value, title }) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          </label>
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
              }}
            />
          )}
          <p className="sm t2">
            {providerOf(provider).evidence} <GuideLink name="sign-in">Signing in</GuideLink>
          </p>
        </section>
      )}
    </WithConnection>
  )
}
