import './companion-counts.css'
import { computerTypes } from '@muster/contract/computer-types.ts'
import type { CompanionSummary } from '@muster/contract/console-companions.ts'
import type { DeviceType } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../api/query.ts'
import { noneHereFor, useCompanionPlatforms } from '../components/companion-platforms.ts'
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
  const platforms = useCompanionPlatforms()
  if (!platforms) return null
  const made = platforms.data.map(({ device_type: type }) => type)
  const { computers, linked, linking, seen_twice: seenTwice, without_device: others } = counts
  const without = counts.by_type.filter(({ none }) => none > 0)
  const lacking = without.filter(({ device_type: type }) => !made.includes(type))
  const installable = noneIn(without) - noneIn(lacking)
  return (
    <p className="secondary companion-counts">
      {linked} of {computers === 1 ? '1 computer' : `${computers} computers`} {linked === 1 ? 'has' : 'have'} a linked
      companion
      {linking > 0 && (linking === 1 ? '; 1 waits for its link' : `; ${linking} wait for their link`)}.
      {installable > 0 && (
        <>
          {' '}
          <Devices companion="none" types={made}>
            See the {installable} without one
          </Devices>
          .
        </>
      )}
      {seenTwice > 0 && (
        <>
          {' '}
          <Devices companion="seen_twice" types={computerTypes}>
            See the {seenTwice} whose key was seen twice
          </Devices>
          .
        </>
      )}
      {others > 0 && (
        <>
          {' '}
          {others === 1 ? '1 companion waits' : `${others} companions wait`} on machines that osquery has not enrolled.
        </>
      )}
      <Lacking types={lacking} />
    </p>
  )
}

type ByType = CompanionSummary['by_type'][number]

const noneIn = (types: readonly ByType[]): number => types.reduce((total, { none }) => total + none, 0)

/** In the order in which they are named everywhere. */
const typesIn = (types: readonly ByType[]) =>
  computerTypes.filter((type) => types.some(({ device_type: of }) => of === type))

/** The computers that this server makes no companion for. */
function Lacking({ types }: { types: readonly ByType[] }) {
  if (types.length === 0) return null
  const count = noneIn(types)
  return (
    <>
      {' '}
      {noneHereFor(typesIn(types))}:{' '}
      <Devices companion="none" types={typesIn(types)}>
        {count === 1 ? '1 computer' : `${count} computers`}
      </Devices>{' '}
      {count === 1 ? 'is' : 'are'} refused where a connection enforces.
    </>
  )
}

type DevicesParts = {
  readonly companion: 'none' | 'seen_twice'
  readonly types: readonly DeviceType[]
  readonly children: ReactNode
}

const Devices = ({ companion, types, children }: DevicesParts) => (
  <Link className="underlined" to="/devices" search={{ companion, platform: types.join(',') }}>
    {children}
  </Link>
)
