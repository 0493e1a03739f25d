import { type QueryFilters, useIsFetching } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Icon } from './icon.tsx'
import { LeftOutLine } from './left-out-line.tsx'
import { LiveLine } from './live-line.tsx'
import { useTabTitle } from './use-tab-title.ts'

export type Crumb = {
  readonly to:
    | '/devices'
    | '/checks'
    | '/issues'
    | '/requests/exemptions'
    | '/requests/registrations'
    | '/people'
    | '/connections'
    | '/connections/upstreams'
    | '/groups/devices'
    | '/groups/people'
    | '/sign-ins'
    | '/audit'
    | '/live-queries'
    | '/reporting/tables'
    | '/reporting/queries'
    | '/settings/developers/streams'
    | '/settings/developers/webhooks'
    | '/settings/developers/keys'
  readonly text: string
}

type PageParts = {
  /** What the page is called, in the tab as well. */
  readonly title: string
  readonly crumb?: Crumb
  /** Links between the crumb and the page itself. */
  readonly trail?: ReactNode
  /** What the page is part of, where that has no page itself. */
  readonly area?: string
  /** The list that the page is a record of, for the tab, where no crumb leads to it. */
  readonly listedIn?: string
  readonly actions?: ReactNode
  /** The page has a title of its own below its bar. */
  readonly hasOwnTitle?: boolean
  readonly children: ReactNode
}

/** What is read for the first time. What is only read again stays as it is meanwhile, and is not worth a word. */
const pending: QueryFilters = { predicate: ({ state }) => state.status === 'pending' }

/** The bar above a page, and the page. A change of page is told to screen readers by the focus on the title. */
export function Page({ title, crumb, trail, area, listedIn, actions, hasOwnTitle = false, children }: PageParts) {
  const content = useRef<HTMLElement>(null)
  const isBusy = useIsFetching(pending) > 0
  useTabTitle(title, listedIn ?? crumb?.text ?? area)
  useEffect(() => {
    content.current?.querySelector('h1')?.focus()
  }, [])
  return (
    <main className="main" id="content" aria-busy={isBusy} ref={content}>
      <div className="top">
        <OpenSidebar />
        <div className="crumb">
          {crumb && (
            <>
              <Link to={crumb.to}>{crumb.text}</Link>
              <Icon name="chevronRight" size={14} />
            </>
          )}
          {area !== undefined && (
            <>
              {area}
              <Icon name="chevronRight" size={14} />
            </>
          )}
          {trail !== undefined && (
            <>
              {trail}
              <Icon name="chevronRight" size={14} />
            </>
          )}
          {hasOwnTitle ? (
            <b className="ellipsis">{title}</b>
          ) : (
            <h1 className="bar-title ellipsis" tabIndex={-1}>
              {title}
            </h1>
          )}
        </div>
        <div className="grow" />
        {actions}
      </div>
      <LiveLine />
      <LeftOutLine />
      {children}
    </main>
  )
}

const OpenSidebar = () => (
  <button type="button" className="open-side" aria-label="Menu" data-open-sidebar>
    <Icon name="menu" />
  </button>
)
