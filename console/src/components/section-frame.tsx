import './section-frame.css'
import type { AdminPower } from '@muster/contract/admin-powers.ts'
import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSession } from '../api/session.ts'
import { MissingPermission } from './missing-permission.tsx'
import { Page } from './page.tsx'

/** A page among its sisters, which are listed at its side. */
export type Section = {
  readonly to: NonNullable<LinkProps['to']>
  readonly text: string
  /** Without it the section is not in the list. */
  readonly power?: AdminPower
}

type Parts = {
  /** "Settings", "Account". */
  readonly area: string
  readonly sections: readonly Section[]
  readonly title: string
  /** The list that the page is a record of. */
  readonly listedIn?: string
  readonly lead?: ReactNode
  /** Without it the page says what is missing. */
  readonly power?: AdminPower
  readonly isWide?: boolean
  /** At the right of the bar. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page with the list of its sisters at its side. */
export function SectionFrame(parts: Parts) {
  const { area, sections, title, listedIn, lead, power, isWide = false, actions, children } = parts
  const session = useSession()
  const list = useRef<HTMLElement>(null)
  // On a small screen the list is one line that scrolls.
  useEffect(() => {
    list.current?.querySelector('.on')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  const may = (wanted: AdminPower | undefined) => wanted === undefined || session?.permissions.includes(wanted) === true
  return (
    <Page title={title} area={area} {...(listedIn !== undefined && { listedIn })} hasOwnTitle actions={actions}>
      <div className="page sections">
        <nav className="section-list" aria-label={area} ref={list}>
          {sections
            .filter((section) => may(section.power))
            .map((section) => (
              <Link key={section.text} to={section.to} activeProps={{ className: 'on' }}>
                {section.text}
              </Link>
            ))}
        </nav>
        <div className={isWide ? 'section-page wide' : 'section-page'}>
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <p className="secondary section-lead">{lead}</p>}
          {may(power) ? children : power && <MissingPermission power={power} />}
        </div>
      </div>
    </Page>
  )
}

type BlockParts = {
  readonly title: string
  readonly about?: ReactNode
  readonly action?: ReactNode
  readonly children?: ReactNode
}

/** One matter of a page, parted from the others by a line. */
export const Block = ({ title, about, action, children }: BlockParts) => (
  <section className="block-part" aria-label={title}>
    <div className="block-head">
      <div className="grow">
        <h2>{title}</h2>
        {about !== undefined && <p className="secondary">{about}</p>}
      </div>
      {action}
    </div>
    {children}
  </section>
)
