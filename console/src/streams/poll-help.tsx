import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'

/** A first poll, to be tried in a terminal. */
export const PollHelp = ({ stream }: { stream: SsfStream }) => (
  <section>
    <h2>Try it</h2>
    <UnreachableAddress address={stream.delivery.endpoint_url} reader="program" />
    <CodeBlock
      label="a first poll"
      text={[`curl ${stream.delivery.endpoint_url} \\`, '  -H "Authorization: Bearer $POLL_TOKEN"'].join('\n')}
    />
    <p className="small secondary">
      The poll token is the only credential that a receiver needs. Receivers that send an API key as well put the token
      into the header X-Service-Poll-Bearer-Token.
    </p>
  </section>
)
