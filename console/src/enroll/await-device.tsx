import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { countQuery } from '../api/query.ts'
import { Mark } from '../components/state-shape.tsx'

/** Looks for devices that were not there when the page was opened. */
export function AwaitDevice({ trouble }: { trouble: string }) {
  const [openedAt] = useState(() => Date.now())
  const [before, setBefore] = useState<number | undefined>()
  const count = useQuery(countQuery('listDeviceViews', {}, { apart: 'awaited', pace: 'watched', staleTime: 0 }))
  const now = count.data?.count
  useEffect(() => {
    if (now !== undefined) setBefore((known) => known ?? now)
  }, [now])
  const arrived = now === undefined || before === undefined ? 0 : Math.max(0, now - before)
  return (
    <>
      <div className="step-row" role="status">
        {arrived === 0 ? (
          <>
            <span className="pulse" aria-hidden="true" />
            <span className="grow ellipsis">
              Listening on <code>{location.origin}</code>
            </span>
          </>
        ) : (
          <>
            <Mark name="tick" />
            <span className="grow">
              {arrived === 1 ? '1 machine has enrolled.' : `${arrived} machines have enrolled.`}
            </span>
            <Link className="underlined" to="/devices">
              Show the devices
            </Link>
          </>
        )}
        {arrived === 0 && <Waited since={openedAt} />}
      </div>
      {arrived === 0 && (
        <p className="small faint">
          Nothing after 2 minutes? On the machine: <code className="secondary">{trouble}</code>
        </p>
      )}
    </>
  )
}

function Waited({ since }: { since: number }) {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.floor((now - since) / 1_000))
  const text = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} m ${seconds % 60} s`
  return (
    <span className="faint small tabular" aria-hidden="true">
      {text}
    </span>
  )
}
