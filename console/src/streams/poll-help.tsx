import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { CodeBlock } from '../components/code-block.tsx'

/** A first poll, to be tried in a terminal. */
export const PollHelp = ({ stream }: { stream: SsfStream }) => (
  <section>
    <h2>Try it</h2>
    <CodeBlock
      label="a first poll"
      text={[
        `curl ${stream.delivery.endpoint_url} \\`,
        '  -H "Authorization: Bearer $API_KEY" \\',
        '  -H "X-Service-Poll-Bearer-Token: $POLL_TOKEN"',
      ].join('\n')}
    />
    <p className="sm t2">
      The API key needs the permission “Manage Shared Signals Framework Streams”. Each of the two is refused without the
      other.
    </p>
  </section>
)
