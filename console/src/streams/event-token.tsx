import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CodeBlock } from '../components/code-block.tsx'
import { Mark } from '../components/state-shape.tsx'
import { JsonBlock } from '../developers/json-block.tsx'
import { decodeHeader, decodeToken, isSignedBy, signingOf } from './decode-token.ts'
import { streamIssuerQuery } from './stream-queries.ts'

const views = ['Decoded', 'Token', 'Header'] as const

/** What was signed, as it is read, as it is sent, and by which key. */
export function EventToken({ token, streamId }: { token: string; streamId: string }) {
  const [view, setView] = useState<(typeof views)[number]>('Decoded')
  return (
    <>
      <div className="views">
        {views.map((one) => (
          <button
            key={one}
            type="button"
            className={one === view ? 'on' : ''}
            aria-pressed={one === view}
            onClick={() => setView(one)}
          >
            {one}
          </button>
        ))}
      </div>
      {view === 'Decoded' && <JsonBlock json={decodeToken(token)} label="the decoded token" />}
      {view === 'Token' && <CodeBlock text={token.replaceAll('.', '.\n')} label="the token" />}
      {view === 'Header' && <JsonBlock json={decodeHeader(token)} label="the header" />}
      <Signature token={token} streamId={streamId} />
    </>
  )
}

function Signature({ token, streamId }: { token: string; streamId: string }) {
  const issuer = useQuery(streamIssuerQuery(streamId))
  const check = useQuery({
    queryKey: ['streams', 'signature', token],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: issuer.data !== undefined,
    queryFn: async () => ({ isValid: await isSignedBy(token, issuer.data?.keys ?? []) }),
  })
  const { kid, alg } = signingOf(token)
  const isValid = check.data?.isValid
  return (
    <p className="delivery small">
      {isValid !== undefined && <Mark name={isValid ? 'tick' : 'warning'} />}
      <span className="secondary">
        {isValid === true && 'Signature valid, '}
        {isValid === false && 'Its key is no longer published, or the signature is wrong: '}
        {alg}, key <code>{kid.slice(0, 13)}</code>
      </span>
    </p>
  )
}
