import { Button } from '@mantine/core'
import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Page } from '../components/page.tsx'
import { RecordPage } from '../components/record-page.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { useAction } from '../components/use-action.ts'
import { VerbButton } from '../components/verb-button.tsx'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import { Mark } from '../components/state-shape.tsx'
import { Expiry } from './expiry.tsx'
import { KeyPermissions } from './key-permissions.tsx'
import { useRevealing } from './use-revealing.ts'
import { useRevoking } from './use-revoking.tsx'

const route = getRouteApi('/shell/settings/developers/keys/$keyId')
const crumb = { to: '/settings/developers/keys', text: 'API keys' } as const

export function KeyPage() {
  const { keyId } = route.useParams()
  const may = useMay('manage_keys')
  const key = useQuery(query('getApiKey', { params: { id: keyId } }, { enabled: may, pace: 'usual' }))
  return (
    <RecordPage
      record={key}
      nouns={['API key', 'API keys']}
      id={keyId}
      crumb={crumb}
      {...(!may && { lacks: 'manage_keys' })}
      why="It may have been revoked."
    >
      {(data) => <LoadedKey key={keyId} apiKey={data} />}
    </RecordPage>
  )
}

function LoadedKey({ apiKey }: { apiKey: ConsoleApiKey }) {
  const name = visibleText(apiKey.name)
  const mayReveal = useMay('reveal_keys')
  const { shown, isPending, reveal, hide } = useRevealing(apiKey)
  return (
    <Page title={name} crumb={crumb} hasOwnTitle actions={<Actions apiKey={apiKey} />}>
      <div className="page form-page">
        <div>
          <div className="title-row">
            <h1 tabIndex={-1} className="breaks">
              {name}
            </h1>
          </div>
          <dl className="fact-row">
            <div>
              <dt>Last used</dt>
              <dd>
                <RelativeTime time={apiKey.last_used_at} missing="Never" />
              </dd>
            </div>
            <div>
              <dt>Created</dt>
              <dd>
                <RelativeTime time={apiKey.created_at} />
              </dd>
            </div>
            <div>
              <dt>Expires</dt>
              <dd>
                <Expiry apiKey={apiKey} />
              </dd>
            </div>
            <div>
              <dt>Responsible</dt>
              <dd className="breaks">{visibleText(apiKey.responsible_administrator)}</dd>
            </div>
          </dl>
        </div>
        {apiKey.needs_review_since !== null && <Review apiKey={apiKey} />}
        {mayReveal && (
          <section className="form-section">
            <h2>The key</h2>
            {shown === undefined ? (
              <div className="form-ends">
                <Button onClick={reveal} loading={isPending}>
                  Reveal the key
                </Button>
                <span className="small secondary">This is recorded in the audit log.</span>
              </div>
            ) : (
              <>
                <CodeBlock text={shown} label="the key" />
                <div>
                  <Button onClick={hide}>Hide</Button>
                </div>
              </>
            )}
          </section>
        )}
        <KeyPermissions apiKey={apiKey} />
      </div>
    </Page>
  )
}

/** Keeps a key that someone without full access had a part in; the page's own button revokes it. */
function Review({ apiKey }: { apiKey: ConsoleApiKey }) {
  const review = useAction({
    act: () => api('reviewApiKey', { params: { id: apiKey.id } }),
    refresh: ['api_keys'],
    said: () => `“${visibleText(apiKey.name)}” reviewed and kept`,
  })
  return (
    <div className="note will">
      <Mark name="warning" />
      <span className="grow">
        An administrator without full access made or changed this key. Keep it if its permissions and whoever is
        responsible are right; otherwise withdraw permissions, or revoke it.
      </span>
      <Button onClick={() => review.mutate()} loading={review.isPending}>
        Keep it
      </Button>
    </div>
  )
}

function Actions({ apiKey }: { apiKey: ConsoleApiKey }) {
  const navigate = useNavigate()
  const { revoke, dialogs } = useRevoking(apiKey, () => void navigate({ to: '/settings/developers/keys' }))
  return (
    <>
      <VerbButton verb={revoke} />
      {dialogs}
    </>
  )
}
