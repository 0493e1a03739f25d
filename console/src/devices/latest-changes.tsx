import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoadFailure } from '../components/notices.tsx'
import { fullTime } from '../components/times.ts'
import { happeningsQuery } from './device-history.tsx'
import { HappeningShape, happeningTitle, reasonOf } from './happening.tsx'
import { StateStrip } from './state-strip.tsx'

const shown = 5

/** The strip of states and the latest changes, in the rail of facts. */
export function LatestChanges({ device }: { device: Device }) {
  const happenings = useQuery(happeningsQuery(device.id))
  if (!happenings.data) return <LoadFailure what="The history of states" query={happenings} />
  return (
    <section aria-labelledby="latest-changes" className="sec">
      <div className="sech">
        <h2 id="latest-changes">State, 28 days</h2>
        <Link to="/devices/$deviceId/history" params={{ deviceId: device.id }} className="u sm">
          Full history
        </Link>
      </div>
      <StateStrip device={device} happenings={happenings.data.data} />
      <ol className="changes">
        {happenings.data.data.slice(0, shown).map((happening) => (
          <li key={happening.id}>
            <HappeningShape happening={happening} />
            <span className="grow">
              <span className="m block">{happeningTitle(happening)}</span>
              <span className="sm t2 block">{reasonOf(happening)}</span>
            </span>
            <time className="sm t2 tn" dateTime={happening.occurred_at} title={fullTime(happening.occurred_at)}>
              {fullTime(happening.occurred_at)
                .slice(4, -7)
                .replace(/ \d{4} /, ' ')}
            </time>
          </li>
        ))}
      </ol>
    </section>
  )
}
