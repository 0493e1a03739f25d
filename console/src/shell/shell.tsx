import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import './shortcuts.css'
import { followChanges } from '../api/live.ts'
import { useSession } from '../api/session.ts'
import { Emptiness } from '../components/notices.tsx'
import { Toasts } from '../components/toasts.tsx'
import { useTabTitle } from '../components/use-tab-title.ts'
import { Find } from './find.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'
import { StepUpDialog } from './step-up-dialog.tsx'
import { useCommandKeys, useShortcuts, useWholeRows } from './use-shortcuts.ts'
import './shell.css'

export function Shell() {
  const session = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  const [isFinding, setIsFinding] = useState(false)
  useCommandKeys(() => setIsFinding(true))
  useWholeRows()
  const path = useRouterState({ select: (state) => state.location.pathname })
  useShortcuts(() => setIsHelpOpen(true))
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a small screen a change of page closes the sidebar
  useEffect(() => setIsOpen(false), [path])
  useEffect(() => {
    const toggle = (event: MouseEvent) => {
      const isToggle = event.target instanceof Element && event.target.closest('[data-open-sidebar]') !== null
      if (isToggle) setIsOpen((was) => !was)
    }
    document.addEventListener('click', toggle)
    return () => document.removeEventListener('click', toggle)
  }, [])
  const mayRead = session?.may_read === true
  useEffect(() => (mayRead ? followChanges() : undefined), [mayRead])
  if (!session) return null
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="app">
        <Sidebar
          session={session}
          isOpen={isOpen}
          onShortcuts={() => setIsHelpOpen(true)}
          onFind={() => setIsFinding(true)}
        />
        {session.may_read || isOwnAccount(path) ? <Outlet /> : <BillingOnly />}
      </div>
      <button
        type="button"
        className={isOpen ? 'side-cover open' : 'side-cover'}
        aria-label="Close the menu"
        tabIndex={isOpen ? 0 : -1}
        onClick={() => setIsOpen(false)}
      />
      <Toasts />
      {mayRead && (
        <Find isOpen={isFinding} onClose={() => setIsFinding(false)} onShortcuts={() => setIsHelpOpen(true)} />
      )}
      <StepUpDialog />
      <Shortcuts isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
    </>
  )
}

/** Everyone has one, whatever they may read. */
const isOwnAccount = (path: string): boolean => /^(\/console)?\/account(\/|$)/.test(path)

function BillingOnly() {
  useTabTitle('Billing only')
  return (
    <main className="main" id="content">
      <div className="page">
        <h1 tabIndex={-1}>Billing only</h1>
        <Emptiness title="Your account has access to billing only.">
          Devices, checks and settings are for other administrators. An administrator with full access can change that.{' '}
          <Link className="underlined" to="/account/security">
            Your account
          </Link>
        </Emptiness>
      </div>
    </main>
  )
}
