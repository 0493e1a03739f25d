import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoadFailure } from '../components/notices.tsx'
import { fullTime } from '../components/times.ts'
import { historyEntriesQuery } from './device-history.tsx'
import { HistoryEntryShape, HistoryReason, historyEntryTitle } from './history-entry.tsx'
import { StateStrip } from './state-strip.tsx'

const shown = 5

/** The strip of states and the latest changes, in the rail of facts. */
export function LatestChanges({ device }: { device: Device }) {
  const historyEntries = useQuery(historyEntriesQuery(device.id))
  if (!historyEntries.data) return <LoadFailure what="The history of states" query={historyEntries} />
  return (
    <section aria-labelledby="latest-changes" className="section">
      <div className="section-head">
        <h2 id="latest-changes">State, 28 days</h2>
        <Link to="/devices/$deviceId/history" params={{ deviceId: device.id }} className="underlined small">
          Full history
        </Link>
      </div>
      <StateStrip device={device} historyEntries={historyEntries.data.data} />
      <ol className="changes">
        {historyEntries.data.data.slice(0, shown).map((entry) => (
          <li key={entry.id}>
            <HistoryEntryShape entry={entry} />
            <span className="grow">
              <span className="medium block">{historyEntryTitle(entry)}</span>
              <span className="small secondary block">
                <HistoryReason entry={entry} />
              </span>
            </span>
            <time className="small secondary tabular" dateTime={entry.occurred_at} title={fullTime(entry.occurred_at)}>
              {fullTime(entry.occurred_at)
                .slice(4, -7)
                .replace(/ \d{4} /, ' ')}
            </time>
          </li>
        ))}
      </ol>
    </section>
  )
}
