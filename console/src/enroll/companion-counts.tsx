import './companion-counts.css'
import type { CompanionSummary } from '@muster/contract/console-companions.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../api/query.ts'
import { LoadFailure } from '../components/notices.tsx'

const summaryQuery = query('getCompanionSummary', {}, { pace: 'soon' })

/** How far companions are rolled out, with the computers that lack one. */
export function CompanionCounts() {
  const summary = useQuery(summaryQuery)
  if (!summary.data) return <LoadFailure what="The counts of companions" query={summary} />
  const { computers, without_device: others } = summary.data
  return computers + others === 0 ? null : <Counts counts={summary.data} />
}

function Counts({ counts }: { counts: CompanionSummary }) {
  const { computers, linked, linking, none, seen_twice: seenTwice, without_device: others } = counts
  return (
    <p className="secondary companion-counts">
      {linked} of {computers === 1 ? '1 computer' : `${computers} computers`} {linked === 1 ? 'has' : 'have'} a linked
      companion
      {linking > 0 && (linking === 1 ? '; 1 waits for its link' : `; ${linking} wait for their link`)}.
      {none > 0 && (
        <>
          {' '}
          <Devices companion="none">See the {none} without one</Devices>.
        </>
      )}
      {seenTwice > 0 && (
        <>
          {' '}
          <Devices companion="seen_twice">See the {seenTwice} whose key was seen twice</Devices>.
        </>
      )}
      {others > 0 && (
        <>
          {' '}
          {others === 1 ? '1 companion waits' : `${others} companions wait`} on machines that osquery has not enrolled.
        </>
      )}
    </p>
  )
}

const computerPlatforms = 'Mac,Windows,Linux'

const Devices = ({ companion, children }: { companion: 'none' | 'seen_twice'; children: ReactNode }) => (
  <Link className="underlined" to="/devices" search={{ companion, platform: computerPlatforms }}>
    {children}
  </Link>
)
