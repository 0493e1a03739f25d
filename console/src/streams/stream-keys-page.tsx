import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { PollHelp } from './poll-help.tsx'
import { PollTokens } from './poll-tokens.tsx'
import { StreamAddresses } from './stream-addresses.tsx'
import { streamIssuerQuery } from './stream-queries.ts'
import { StreamTab } from './stream-tab.tsx'

const route = getRouteApi('/shell/settings/developers/streams/$streamId/keys')

export function StreamKeysPage() {
  const { streamId } = route.useParams()
  return (
    <StreamTab id={streamId} isForm>
      {(stream) => (
        <>
          {stream.delivery_type === 'poll' && <PollTokens stream={stream} />}
          <StreamAddresses stream={stream} />
          <SigningKeys streamId={stream.id} />
          {stream.delivery_type === 'poll' && <PollHelp stream={stream} />}
        </>
      )}
    </StreamTab>
  )
}

function SigningKeys({ streamId }: { streamId: string }) {
  const issuer = useQuery(streamIssuerQuery(streamId))
  const keys = issuer.data?.keys
  return (
    <section className="form-section">
      <h2>Signing keys</h2>
      <p className="secondary">
        Receivers fetch them automatically. New keys are published before they are used; old keys stay until no event
        signed with them can still arrive.
      </p>
      {issuer.isError && (
        <Failure what="The keys could not be loaded." error={issuer.error} onRetry={() => void issuer.refetch()} />
      )}
      {issuer.isPending && <SkeletonRows rows={2} />}
      {keys?.length === 0 && <p className="secondary">None yet: the first key is created with the first event.</p>}
      <ul className="lines">
        {keys?.map((key) => (
          <li className="line" key={key.kid}>
            <code className="ellipsis grow" title={key.kid}>
              {key.kid}
            </code>
            <span className="secondary">
              {key.kty} {key.alg}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
