import { oktaSettings } from '@muster/contract/okta-stream.ts'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { Link } from '@tanstack/react-router'
import { CodeBlock } from '../components/code-block.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'
import { visibleText } from '../components/visible-text.ts'
import { PollHelp } from './poll-help.tsx'

/** What is left to do at the receiver of a new stream. */
export const MadeStream = ({ stream }: { stream: SsfStream }) => (
  <>
    {stream.poll_bearer_token === undefined ? <OktaHelp stream={stream} /> : <PolledHelp stream={stream} />}
    <p>
      <Link className="underlined" to="/settings/developers/streams/$streamId" params={{ streamId: stream.id }}>
        Go to the stream
      </Link>
    </p>
  </>
)

const PolledHelp = ({ stream }: { stream: SsfStream }) => (
  <>
    <p>
      <b className="medium">{visibleText(stream.name)}</b> is ready. Its receiver polls it with this token.
    </p>
    <SecretOnce
      label="Poll token"
      secret={stream.poll_bearer_token ?? ''}
      after="Copy it now: it is not shown again and cannot be recovered. A lost one is replaced under Keys."
    />
    <PollHelp stream={stream} />
  </>
)

function OktaHelp({ stream }: { stream: SsfStream }) {
  const { issuer, jwksUrl } = oktaSettings(stream)
  return (
    <>
      <UnreachableAddress address={issuer} reader={{ service: 'Okta' }} />
      <p>
        The stream <b className="medium">{visibleText(stream.name)}</b> is created. Now set it up in Okta: open Security
        &gt; Device Integrations &gt; Receive shared signals, create a stream, and enter these two addresses.
      </p>
      <h2>Issuer</h2>
      <CodeBlock label="Issuer" text={issuer} />
      <h2>JWKS URL</h2>
      <CodeBlock label="JWKS URL" text={jwksUrl} />
      <p className="small secondary">
        Then open the stream here and send a test event for a person whose e-mail address is known to Okta. Okta refuses
        verification events; that is expected.
      </p>
    </>
  )
}
