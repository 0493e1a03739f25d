import type { AuditChain } from '@muster/contract/console-audit.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { LoadFailure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { useAction } from '../components/use-action.ts'

/** Whether the log is as it was written: verified when, and up to where. */
export function ChainLine() {
  const [awaited, setAwaited] = useState<string | null>()
  const chain = useQuery(query('getAuditChain', {}, { refetchInterval: awaited === undefined ? 60_000 : 1_500 }))
  const at = chain.data?.verified?.at ?? null
  if (awaited !== undefined && chain.data && at !== awaited) setAwaited(undefined)
  const verify = useAction({
    act: () => api('verifyAuditChain'),
    onDone: () => setAwaited(at),
  })
  if (!chain.data) return <LoadFailure what="The state of the chain" query={chain} />
  return (
    <div className="chain">
      <Verdict chain={chain.data} />
      <span className="grow" />
      <button
        type="button"
        className="plain underlined"
        disabled={awaited !== undefined}
        onClick={() => verify.mutate()}
      >
        {awaited === undefined ? 'Verify now' : 'Verifying…'}
      </button>
    </div>
  )
}

function Verdict({ chain: { verified, last_id: last } }: { chain: AuditChain }) {
  if (verified === null) {
    return (
      <>
        <Mark name="pending" />
        <span>Not verified yet. Each entry contains the hash of the previous one, so tampering is detectable.</span>
      </>
    )
  }
  if (verified.is_intact) {
    const since = verified.last_id === last ? '' : '; later entries are not verified yet'
    return (
      <>
        <Mark name="tick" />
        <span>
          Intact: {verified.entries_count.toLocaleString('en')} entries up to <Entry id={verified.last_id} />, verified{' '}
          <RelativeTime time={verified.at} />
          {since}.
        </span>
      </>
    )
  }
  return (
    <>
      <Mark name="cross" />
      <span className="bad" role="alert">
        {verified.faulty_id !== null && (
          <>
            Entry <Entry id={verified.faulty_id} />{' '}
          </>
        )}
        {verified.fault}. Found <RelativeTime time={verified.at} />.
      </span>
    </>
  )
}

const Entry = ({ id }: { id: string }) => (
  <Link to="/audit/$entryId" params={{ entryId: id }} className="underlined">
    {id}
  </Link>
)
