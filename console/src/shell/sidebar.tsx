import { Menu } from '@mantine/core'
import type { ConsoleSession } from '@muster/contract/console.ts'
import { guidePath } from '@muster/contract/guides.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { waitingQuery } from '../api/waiting-query.ts'
import { Icon } from '../components/icon.tsx'
import { MusterMark } from '../components/muster-mark.tsx'
import { developerEntries, type Entry, investigateEntries, mainEntries } from './entries.ts'
import { chooseScheme, type SchemeChoice, schemeChoice } from './scheme.ts'
import { signOut } from './sign-out.ts'

type Parts = {
  readonly session: ConsoleSession
  readonly isOpen: boolean
  readonly onShortcuts: () => void
  readonly onFind: () => void
}

export function Sidebar({ session, isOpen, onShortcuts, onFind }: Parts) {
  const mayOpen = ({ needs }: Entry) => needs === undefined || session.permissions.includes(needs)
  return (
    <nav className={isOpen ? 'side open' : 'side'} aria-label="Console">
      <div className="organization">
        <MusterMark />
        <span className="ellipsis grow" title={session.organization.name}>
          {session.organization.name}
        </span>
      </div>
      {session.may_read && (
        <>
          <button type="button" className="find" onClick={onFind} aria-keyshortcuts="Control+K Meta+K">
            <Icon name="search" />
            <span className="grow ellipsis">Find or jump to</span>
            <kbd>{isMac ? '⌘' : 'Ctrl'}</kbd>
            <kbd>K</kbd>
          </button>
          {mainEntries.filter(mayOpen).map((entry) => (
            <SidebarLink key={entry.to} entry={entry} />
          ))}
          <div className="nav-head">Investigate</div>
          {investigateEntries.map((entry) => (
            <SidebarLink key={entry.to} entry={entry} />
          ))}
        </>
      )}
      <div className="nav-head">Developers</div>
      {session.may_read &&
        developerEntries.filter(mayOpen).map((entry) => <SidebarLink key={entry.to} entry={entry} />)}
      <a className="nav" href="/docs">
        <Icon name="terminal" />
        API reference
      </a>
      <div className="foot">
        {session.may_read && <SettingsLink />}
        <Account session={session} onShortcuts={onShortcuts} />
      </div>
    </nav>
  )
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** One entry for all its sections; those of developers have entries of their own. */
function SettingsLink() {
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isOn = /\/settings\/(?!developers)/.test(path)
  return (
    <Link to="/settings/organization" className={isOn ? 'nav on' : 'nav'} activeProps={{}}>
      <Icon name="settings" />
      Settings
    </Link>
  )
}

/** An entry stands for its whole area, whichever page of it is open. */
function SidebarLink({ entry }: { entry: Entry }) {
  const { area } = entry
  const isWithin = useRouterState({
    select: ({ location: { pathname } }) => area !== undefined && pathname.startsWith(area),
  })
  return (
    <Link
      to={entry.to}
      className={isWithin ? 'nav on' : 'nav'}
      activeOptions={{ exact: entry.to === '/', includeSearch: false }}
      activeProps={{ className: 'on' }}
    >
      <Icon name={entry.icon} />
      {entry.text}
      {entry.to === '/requests/exemptions' && <Waiting />}
    </Link>
  )
}

/** How many requests wait for a decision. */
function Waiting() {
  const { data } = useQuery(waitingQuery)
  const count = (data?.exemptions ?? 0) + (data?.registrations ?? 0)
  return count === 0 ? null : (
    <span className="count">
      {count.toLocaleString('en')}
      <span className="hidden"> waiting</span>
    </span>
  )
}

const choices: readonly (readonly [SchemeChoice, string])[] = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'System'],
]

function Account({ session, onShortcuts }: Omit<Parts, 'isOpen' | 'onFind'>) {
  const { first_name: first, last_name: last, email } = session.administrator
  const name = [first, last].filter(Boolean).join(' ') || email
  return (
    <Menu position="top-start" width={208} withinPortal={false}>
      <Menu.Target>
        <button type="button" className="nav account">
          <span className="initials" aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className="ellipsis">{name}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{email}</Menu.Label>
        <Menu.Item component={Link} to="/account/security">
          Your account
        </Menu.Item>
        <Menu.Divider />
        {choices.map(([choice, text]) => (
          <Menu.Item
            key={choice}
            rightSection={schemeChoice() === choice ? <Icon name="tick" size={14} /> : null}
            onClick={() => chooseScheme(choice)}
          >
            {text}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href={guidePath('console')} target="_blank" rel="noreferrer">
          Documentation
        </Menu.Item>
        <Menu.Item rightSection={<kbd>?</kbd>} onClick={onShortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
