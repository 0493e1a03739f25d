import type { DeviceTable } from '@muster/contract/reporting-tables.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

type Problem = NonNullable<DeviceTable['problem']>

const says: Readonly<Record<Problem['type'], readonly [sign: string, sentence: string, next?: string]>> = {
  denied: ['refused by the agent', 'The agent refuses this query.', 'It tries again within a day.'],
  missing: ['missing in the agent', 'The agent does not have this table.'],
  failed: ['failed on the device', 'The query failed on the device.'],
}

type Parts = { readonly problem: Problem | null | undefined }

/** Beside the name of a table that does not come. */
export function TableSign({ problem }: Parts) {
  if (!problem) return null
  const [sign] = says[problem.type]
  return (
    <span className="table-sign" title={sign}>
      <Mark name="warning" />
      <span className="hidden">{sign}</span>
    </span>
  )
}

/** Why a table does not come, above the rows from before where there are any. */
export function TableNote({ problem }: Parts) {
  if (!problem) return null
  const [, sentence, next = ''] = says[problem.type]
  return (
    <section className="notice table-note" aria-label="Why this table does not come">
      <div className="grow">
        <p>
          <b className="medium">{sentence}</b> Since <RelativeTime time={problem.since} />. {next}
        </p>
        <code>{visibleText(problem.message)}</code>
      </div>
    </section>
  )
}

/** In place of the rows of a table that has none. */
export function NoRows({ table }: { readonly table: DeviceTable | undefined }) {
  if (table?.problem) return null
  if (table?.taken_at === null) {
    return (
      <p className="secondary">
        Not reported yet. A device reports its tables within minutes after it enrolled, and then each every hour or
        every four hours.
      </p>
    )
  }
  return <p className="secondary">No data from this device.</p>
}
