import type { AuthLog } from '@muster/contract/auth-logs.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { RecordPage } from '../components/record-page.tsx'
import './sign-ins.css'
import { useKeptDays } from '../api/setting-facts.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Fact } from '../components/fact.tsx'
import { Page } from '../components/page.tsx'
import { StandingShape } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { InitialStatus, Result } from './sign-in-table.tsx'
import { Steps } from './steps.tsx'

const route = getRouteApi('/shell/sign-ins/$signInId')
const crumb = { to: '/sign-ins', text: 'Sign-in log' } as const

export function SignInPage() {
  const { signInId } = route.useParams()
  const signIn = useQuery(query('getAuthLog', { params: { id: signInId } }, { pace: 'usual' }))
  const keptDays = useKeptDays('auth_logs')
  return (
    <RecordPage
      record={signIn}
      nouns={['sign-in', 'sign-ins']}
      id={signInId}
      crumb={crumb}
      why={keptDays !== undefined && `Sign-ins are kept for ${keptDays} days.`}
    >
      {(data) => <LoadedSignIn signIn={data} />}
    </RecordPage>
  )
}

function LoadedSignIn({ signIn }: { signIn: AuthLog }) {
  const name = visibleText(signIn.person_name) || 'Unknown person'
  const title = `${name}, ${fullTime(signIn.timestamp)}`
  return (
    <Page title={title} crumb={crumb} hasOwnTitle>
      <div className="page detail">
        <div className="title-row">
          <h1 tabIndex={-1} className="ellipsis" title={name}>
            {name}
          </h1>
          <Result result={signIn.result} />
        </div>
        <p className="secondary">{sentenceOf(signIn)}</p>
        <div className="columns">
          <div className="stack main-column">
            <Steps signIn={signIn} />
            {signIn.issues_displayed.length > 0 && <Shown issues={signIn.issues_displayed} />}
          </div>
          <Facts signIn={signIn} />
        </div>
      </div>
    </Page>
  )
}

function sentenceOf({ result, timestamp, events }: AuthLog): string {
  const began = `Began ${fullTime(timestamp)}`
  const last = events.at(-1)
  if (last === undefined) return `${began}.`
  const seconds = Math.max(0, Math.round((Date.parse(last.timestamp) - Date.parse(timestamp)) / 1_000))
  return result === 'Success'
    ? `${began}, signed in after ${seconds} s.`
    : `${began}, not signed in; the last step was ${seconds} s later.`
}

const Shown = ({ issues }: { issues: AuthLog['issues_displayed'] }) => (
  <section aria-labelledby="issues-shown" className="section">
    <div className="section-head">
      <h2 id="issues-shown">Issues shown</h2>
    </div>
    <ul className="lines">
      {issues.map((issue) => (
        <li key={issue.id} className="line">
          <span className={issue.blocking_status === 'blocked' ? 'state blocked' : 'state will'}>
            <StandingShape standing={issue.blocking_status} />
            {issue.blocking_status === 'blocked' ? 'Blocked' : 'Will Block'}
          </span>
          <span className="medium ellipsis grow">{visibleText(issue.title)}</span>
          <code className="secondary">{issue.id}</code>
        </li>
      ))}
    </ul>
  </section>
)

const orDash = (text: string | null) => (text ? visibleText(text) : <span className="faint">—</span>)

function Facts({ signIn }: { signIn: AuthLog }) {
  const { person_info: person, device_info: device } = signIn
  return (
    <aside className="rail" aria-label="Facts">
      <dl className="facts">
        <Fact name="Person">
          {person.identifier === '' ? (
            orDash(signIn.person_name)
          ) : (
            <Link to="/people/$personId" params={{ personId: person.identifier }} className="underlined ellipsis">
              {visibleText(signIn.person_name)}
            </Link>
          )}
        </Fact>
        <Fact name="E-mail">
          <span className="ellipsis">{orDash(signIn.person_email)}</span>
        </Fact>
        <Fact name="Device">
          {device.identifier === '' ? (
            orDash(null)
          ) : (
            <Link to="/devices/$deviceId" params={{ deviceId: device.identifier }} className="underlined">
              Device {device.identifier}
            </Link>
          )}
        </Fact>
        <Fact name="Device state">
          <InitialStatus status={signIn.initial_status} />
        </Fact>
        <Fact name="Application">
          <span className="ellipsis">{orDash(signIn.okta_app_name)}</span>
        </Fact>
        <Fact name="Address">
          <code className="ellipsis">{orDash(signIn.ip_address)}</code>
        </Fact>
        <Fact name="Place">{orDash([signIn.city, signIn.country].filter(Boolean).join(', '))}</Fact>
        <Fact name="Browser">
          <span className="ellipsis" title={visibleText(signIn.browser_user_agent)}>
            {orDash(signIn.browser_name)}
          </span>
        </Fact>
        <Fact name="Agent">{orDash(signIn.agent_version)}</Fact>
        <Fact name="Entry ID">
          <code>{signIn.id}</code>
          <CopyButton text={signIn.id} label="the entry ID" />
        </Fact>
      </dl>
    </aside>
  )
}
