import type { SettingFacts } from '@muster/contract/console-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { RetentionForm } from './retention-form.tsx'
import { SettingsFrame } from './settings-frame.tsx'

/** How long what is kept. */
export function RetentionPage() {
  const facts = useQuery(settingFactsQuery)
  return (
    <SettingsFrame title="Retention" lead="How long data is kept. Muster deletes expired data every hour.">
      {facts.isError && (
        <Failure what="The settings could not be loaded." error={facts.error} onRetry={() => void facts.refetch()} />
      )}
      {facts.isPending && <SkeletonRows rows={6} />}
      {facts.data && <Loaded facts={facts.data} />}
    </SettingsFrame>
  )
}

function Loaded({ facts }: { facts: SettingFacts }) {
  const { kept_days: days, device_deletion_delay_seconds: delay } = facts
  return (
    <>
      <RetentionForm key={JSON.stringify(facts.chosen)} chosen={facts.chosen} />
      <Block title="Fixed retention">
        <table className="table kept-table">
          <thead>
            <tr>
              <th>What</th>
              <th className="numeric">How long</th>
            </tr>
          </thead>
          <tbody>
            {(
              [
                ['Events of changes', days.events, 'The source of webhooks.'],
                [
                  'Administrator sessions and links',
                  days.admin_sessions,
                  'What happened in them stays in the audit log.',
                ],
              ] as const
            ).map(([what, long, about]) => (
              <tr key={what} className="tall">
                <td>
                  <span className="medium">{what}</span>
                  <span className="kept-about faint small">{about}</span>
                </td>
                <td className="numeric">{long} days</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Block>
      <Block
        title="Deleted devices"
        about={
          <>
            Can be restored for {spanInWords(delay)}, then everything about them is deleted. Set by the server operator:{' '}
            <code>MUSTER_DEVICE_DELETION_DELAY_SECONDS</code>.
          </>
        }
      />
      <Block
        title="As long as the device"
        about="Results of checks, issues, exemptions and requests, inventory. Deleted with the device."
      />
      <Block title="For good" about="The audit log. Entries cannot be removed." />
    </>
  )
}

function spanInWords(seconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ]
  const [size, name] = units.find(([one]) => seconds >= one && seconds % one === 0) ?? [1, 'second']
  const count = seconds / size
  return `${count.toLocaleString('en')} ${count === 1 ? name : `${name}s`}`
}
