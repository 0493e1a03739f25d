import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CopyButton } from '../components/copy-button.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { visibleText } from '../components/visible-text.ts'
import { PollHelp } from './poll-help.tsx'
import { PollTokens } from './poll-tokens.tsx'
import { signingKeysQuery } from './stream-queries.ts'
import { StreamTab } from './stream-tab.tsx'

const route = getRouteApi('/shell/settings/developers/streams/$streamId/keys')

export function StreamKeysPage() {
  const { streamId } = route.useParams()
  return (
    <StreamTab id={streamId} isForm>
      {(stream) => (
        <>
          {stream.delivery_type === 'poll' && <PollTokens stream={stream} />}
          <Addresses stream={stream} />
          <SigningKeys />
          {stream.delivery_type === 'poll' && <PollHelp stream={stream} />}
        </>
      )}
    </StreamTab>
  )
}

function Addresses({ stream }: { stream: SsfStream }) {
  const isPoll = stream.delivery_type === 'poll'
  const addresses: readonly (readonly [string, string])[] = [
    ...(isPoll ? [['Poll address', stream.delivery.endpoint_url] as const] : []),
    ['Discovery', `${stream.iss}/.well-known/ssf-configuration`],
    ['Public keys (JWKS)', `${stream.iss}/ssf/jwks.json`],
    ['Issuer', stream.iss],
    ...(stream.aud === null ? [] : [['Audience', stream.aud] as const]),
    ['Stream identifier', stream.stream_id],
  ]
  return (
    <section className="form-section">
      <h2>What the receiver is set up with</h2>
      <dl className="kv addresses">
        {addresses.map(([name, text]) => (
          <div className="pair" key={name}>
            <dt>{name}</dt>
            <dd>
              <code className="ell" title={text}>
                {visibleText(text)}
              </code>
              <CopyButton text={text} label={name.toLowerCase()} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function SigningKeys() {
  const keys = useQuery(signingKeysQuery)
  return (
    <section className="form-section">
      <h2>Signing keys</h2>
      <p className="t2">
        Receivers fetch them by themselves. A new key is published a while before it signs, and an old one stays for as
        long as a token of it may be on its way.
      </p>
      {keys.isError && (
        <Failure what="The keys could not be loaded." error={keys.error} onRetry={() => void keys.refetch()} />
      )}
      {keys.isPending && <SkeletonRows rows={2} />}
      {keys.data?.length === 0 && <p className="t2">None yet: the first is made with the first event.</p>}
      <ul className="lines">
        {keys.data?.map((key) => (
          <li className="line" key={key.kid}>
            <code className="ell grow" title={key.kid}>
              {key.kid}
            </code>
            <span className="t2">
              {key.kty} {key.alg}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
