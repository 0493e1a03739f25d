import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { FirstSteps as Steps } from '@muster/contract/console-views.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { Failure } from '../components/notices.tsx'
import { Mark } from '../components/state-shape.tsx'

const stepsQuery = query('getFirstSteps')

const hiddenKey = 'muster-first-steps-hidden'

type Step = {
  readonly isDone: boolean
  readonly text: string
  readonly about: string
  readonly to:
    | '/devices/enroll'
    | '/account/security'
    | '/settings/scim'
    | '/connections'
    | '/settings/developers/streams'
    | '/settings/developers/webhooks'
    | '/checks'
  readonly needs?: AdminPower
}

type Missing = Pick<Step, 'about' | 'to'>

const noConnection: Missing = {
  about: 'A sign-in connection, a stream or a webhook. Until then, a block affects nobody’s sign-in.',
  to: '/connections',
}

/** What lacks before a block is known to reach something. */
const missing: Readonly<Record<Steps['connecting'], Missing>> = {
  works: noConnection,
  nothing: noConnection,
  not_enforcing: {
    about: 'Your connections observe, are paused or disabled: none enforces, so a block affects nobody’s sign-in.',
    to: '/connections',
  },
  unused: {
    about: 'It is set up, and nothing has come through within a week: sign in once, or send a test event.',
    to: '/connections',
  },
  failing_stream: {
    about: 'A stream fails, and nothing has come through within a week. Its page shows the last error.',
    to: '/settings/developers/streams',
  },
  failing_webhook: {
    about: 'A webhook fails, and nothing has come through within a week. Its page shows the last error.',
    to: '/settings/developers/webhooks',
  },
}

const stepsOf = (steps: Steps): readonly Step[] => [
  {
    isDone: steps.has_devices,
    text: 'Enroll a device',
    about: 'Install a package, or connect osquery.',
    to: '/devices/enroll',
  },
  {
    isDone: steps.has_second_factor,
    text: 'Add a second factor to your account',
    about: 'A passkey or an authenticator app.',
    to: '/account/security',
  },
  {
    isDone: steps.has_provisioning,
    text: 'Connect your identity provider',
    about: 'SCIM adds people, and removes them when they leave. Done at its first request.',
    to: '/settings/scim',
    needs: 'manage_settings',
  },
  {
    isDone: steps.connecting === 'works',
    text: 'Connect your sign-in',
    ...missing[steps.connecting],
    needs: 'manage_sign_in',
  },
  {
    isDone: steps.enforced_checks > 0,
    text: 'Choose what blocks',
    about: reportingText(steps.reporting_checks),
    to: '/checks',
    needs: 'configure_checks',
  },
]

const reportingText = (count: number): string =>
  count === 1 ? '1 check only reports so far.' : `${count} checks only report so far.`

const wasHidden = () => localStorage.getItem(hiddenKey) === 'true'

/** Whether an answer is still to come for the first time: the rest of the page waits, as it would move under the pointer. */
export function useAreFirstStepsLoading(): boolean {
  const enabled = !wasHidden()
  return !useQuery({ ...stepsQuery, enabled }).isFetched && enabled
}

/** What is left to set up; gone once all is done, or when someone hides it in this browser. */
export function FirstSteps() {
  const session = useSession()
  const [isHidden, setIsHidden] = useState(wasHidden)
  const { data, error, refetch } = useQuery({ ...stepsQuery, enabled: !isHidden })
  const steps = (data ? stepsOf(data) : []).filter(
    ({ needs }) => needs === undefined || session?.permissions.includes(needs),
  )
  if (error && !isHidden) {
    return <Failure what="The first steps could not be loaded." error={error} onRetry={() => void refetch()} />
  }
  if (isHidden || steps.every(({ isDone }) => isDone)) return null
  const hide = () => {
    localStorage.setItem(hiddenKey, 'true')
    setIsHidden(true)
  }
  return (
    <section className="first-steps" aria-labelledby="first-steps">
      <div className="section-head">
        <h2 id="first-steps">Get started</h2>
        <span className="small faint">
          {steps.filter(({ isDone }) => isDone).length} of {steps.length} done
        </span>
        <span className="grow" />
        <button type="button" className="plain small" onClick={hide}>
          Hide
        </button>
      </div>
      <ul>
        {steps.map(({ isDone, text, about, to }) => (
          <li key={text}>
            <span role="img" aria-label={isDone ? 'Done' : 'Not done'}>
              <Mark name={isDone ? 'tick' : 'dash'} />
            </span>
            {isDone ? (
              <span className="secondary">{text}</span>
            ) : (
              <Link className="medium" to={to}>
                {text}
              </Link>
            )}
            {!isDone && <span className="secondary small">{about}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
