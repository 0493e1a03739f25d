import { Button } from '@mantine/core'
import type { SsfStreamIssuer } from '@muster/contract/ssf-issuers.ts'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { streamIssuerQuery } from './stream-queries.ts'

type Settings = SsfStreamIssuer['present']
type Named = readonly (readonly [string, string])[]

/** Values for your receiver, and what a move would make of it. */
export function StreamAddresses({ stream }: { stream: SsfStream }) {
  const issuer = useQuery(streamIssuerQuery(stream.id))
  const isPoll = stream.delivery_type === 'poll'
  return (
    <>
      <section className="form-section">
        <h2>Values for your receiver</h2>
        <UnreachableAddress address={issuer.data?.present.iss} reader="program" />
        {issuer.isError && (
          <Failure what="The issuer could not be loaded." error={issuer.error} onRetry={() => void issuer.refetch()} />
        )}
        {issuer.isPending && <SkeletonRows rows={4} />}
        {issuer.data && (
          <Addresses
            named={[
              ...(isPoll ? [['Poll address', stream.delivery.endpoint_url] as const] : []),
              ...namesOf(issuer.data.present),
              ['Stream identifier', stream.stream_id],
            ]}
          />
        )}
      </section>
      {issuer.data && <Moving stream={stream} issuer={issuer.data} />}
    </>
  )
}

const namesOf = ({ iss, jwks_uri, aud }: Settings): Named => [
  ['Discovery', discoveryOf(iss)],
  ['Public keys (JWKS)', jwks_uri],
  ['Issuer', iss],
  ...(aud === null ? [] : [['Audience', aud] as const]),
]

/** SSF 1.0 §7.2: the well-known part stands between the host and the path. */
function discoveryOf(issuer: string): string {
  const { origin, pathname } = new URL(issuer)
  return `${origin}/.well-known/ssf-configuration${pathname === '/' ? '' : pathname}`
}

function Addresses({ named }: { named: Named }) {
  return (
    <dl className="facts addresses">
      {named.map(([name, text]) => (
        <div className="pair" key={name}>
          <dt>{name}</dt>
          <dd>
            <code className="ellipsis" title={text}>
              {visibleText(text)}
            </code>
            <CopyButton text={text} label={name.toLowerCase()} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Moving({ stream, issuer }: { stream: SsfStream; issuer: SsfStreamIssuer }) {
  const { next, former } = issuer
  if (next === null && former === null) return null
  return (
    <section className="form-section">
      <h2>Issuer and keys</h2>
      {next && <Move stream={stream} next={next} />}
      {former && (
        <p className="secondary">
          Moved from {visibleText(former.iss)}. Events that were queued before keep that issuer; its keys stay published
          until {former.verified_until.slice(0, 10)}.
        </p>
      )}
    </section>
  )
}

function Move({ stream, next }: { stream: SsfStream; next: Settings }) {
  const [isOpen, setIsOpen] = useState(false)
  const move = useAction({
    act: () => api('moveSsfStream', { params: { streamId: stream.id } }),
    refresh: ['streams'],
    hasForm: true,
    said: () => 'The stream is moved',
    onDone: () => setIsOpen(false),
  })
  return (
    <>
      <p className="secondary">After the move, the receiver needs:</p>
      <Addresses named={namesOf(next)} />
      <Button onClick={() => setIsOpen(true)}>Move the stream</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        question={`Move “${visibleText(stream.name)}” to ${visibleText(next.iss)}?`}
        consequences={[
          'New events have the new issuer.',
          'A receiver that is not configured for them refuses them: change it first if it accepts both, or right after.',
        ]}
        stays="Events that are queued already keep their issuer and key, which stay published for 31 days."
        verb="Move the stream"
        onConfirm={() => move.mutate()}
        isBusy={move.isPending}
        fault={move.faultBeside}
      />
    </>
  )
}
