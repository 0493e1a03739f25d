import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { FirstDevice } from './first-device.tsx'
import { OwnerList } from './owner-list.tsx'
import { OwnerRule } from './owner-rule.tsx'
import { RequiredChecks } from './required-checks.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const rules: readonly (readonly [string, string])[] = [
  ['Every other device', 'waits for an administrator’s approval.'],
  [
    'A device that enrolls with a person’s secret',
    'is registered to that person; creating the secret was the approval.',
  ],
  [
    'A device that enrolls with any other secret',
    'has no owner until you assign one. It cannot be used to sign in and is never blocked.',
  ],
  [
    'A known device that enrolls again',
    'keeps its owner only with the same hardware. If the old agent was seen within 10 minutes, or the secret is not the owner’s, the registration is suspended until it is confirmed.',
  ],
  [
    'Two machines with one identity',
    'no longer take turns: one keeps working, the other is refused for up to an hour at a time, and the device is flagged.',
  ],
  ['A person who leaves', 'is deprovisioned: their registrations end, and their devices have no owner. Results stay.'],
]

/** How devices come to belong to people. */
export function RegistrationPage() {
  const facts = useQuery(settingFactsQuery)
  return (
    <SettingsFrame title="Registration" lead="How a device comes to belong to a person, who can then sign in with it.">
      <Block title="Now">
        {facts.isError && (
          <Failure what="The numbers could not be loaded." error={facts.error} onRetry={() => void facts.refetch()} />
        )}
        {facts.isPending && <SkeletonRows rows={3} />}
        {facts.data && (
          <dl className="facts-table">
            <dt>Registered devices</dt>
            <dd className="tabular">
              <Link className="underlined" to="/devices" search={{ owner: 'registered' }}>
                {facts.data.counts.registered.toLocaleString('en')}
              </Link>
            </dd>
            <dt>Devices without an owner</dt>
            <dd className="tabular">
              <Link className="underlined" to="/devices" search={{ owner: 'none' }}>
                {facts.data.counts.unregistered.toLocaleString('en')}
              </Link>
            </dd>
            <dt>Suspended registrations</dt>
            <dd className="tabular">
              <Link className="underlined" to="/devices" search={{ identity: 'suspended' }}>
                {facts.data.counts.suspended.toLocaleString('en')}
              </Link>
            </dd>
            <dt>Waiting requests</dt>
            <dd className="tabular">
              <Link className="underlined" to="/requests/registrations">
                {facts.data.counts.waiting_requests.toLocaleString('en')}
              </Link>
            </dd>
          </dl>
        )}
      </Block>
      <OwnerList />
      {facts.data && <OwnerRule isOn={facts.data.chosen.is_owner_by_account} />}
      {facts.data && <FirstDevice isTrusted={facts.data.chosen.is_first_device_trusted} />}
      {facts.data?.chosen.is_first_device_trusted && (
        <RequiredChecks
          key={facts.data.chosen.registration_required_checks.join()}
          chosen={facts.data.chosen.registration_required_checks}
        />
      )}
      <Block title="Rules" about="The same for every organization.">
        <dl className="rule-list">
          {rules.map(([who, what]) => (
            <div key={who}>
              <dt className="medium">{who}</dt>
              <dd className="secondary">{what}</dd>
            </div>
          ))}
        </dl>
      </Block>
      <Block
        title="Who may use a device"
        about="Its owner only, its owner and some groups, or anyone: chosen for each device on its page."
      />
    </SettingsFrame>
  )
}
