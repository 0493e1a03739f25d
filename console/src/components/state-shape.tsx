import type { ReactNode } from 'react'

/** How a device stands; stale and never are apart, because nothing is known of them now. */
export type Standing = 'blocked' | 'will_block' | 'notified' | 'good' | 'stale' | 'never'

export const standingWords: Readonly<Record<Standing, string>> = {
  blocked: 'Blocked',
  will_block: 'Will Block',
  notified: 'Notified',
  good: 'Good',
  stale: 'Stale',
  never: 'Never reported',
}

/** The token that a state is coloured with. */
export const standingTone: Readonly<Record<Standing, string>> = {
  blocked: 'blocked',
  will_block: 'will',
  notified: 'notified',
  good: 'good',
  stale: 'idle',
  never: 'idle',
}

const thin = { fill: 'none', strokeWidth: 1.5, strokeLinecap: 'round', strokeLinejoin: 'round' } as const

const standingShapes: Readonly<Record<Standing, ReactNode>> = {
  blocked: (
    <>
      <path d="M4.6.7h4.8l3.9 3.9v4.8l-3.9 3.9H4.6L.7 9.4V4.6z" fill="var(--blocked)" />
      <path d="M3.9 7h6.2" stroke="var(--bg)" strokeWidth="1.7" strokeLinecap="round" />
    </>
  ),
  will_block: (
    <>
      <circle cx="7" cy="7" r="6.5" fill="var(--will)" />
      <path d="M7 3.6V7l2.2 1.5" stroke="var(--bg)" {...thin} />
    </>
  ),
  notified: (
    <>
      <circle cx="7" cy="7" r="5.75" stroke="var(--notified)" {...thin} />
      <circle cx="7" cy="7" r="2.25" fill="var(--notified)" />
    </>
  ),
  good: (
    <>
      <circle cx="7" cy="7" r="6.5" fill="var(--good)" />
      <path d="M4.2 7.2l1.9 1.9 3.7-4" stroke="var(--bg)" {...thin} />
    </>
  ),
  stale: (
    <>
      <circle cx="7" cy="7" r="5.75" stroke="var(--idle)" {...thin} />
      <path d="M4.4 7h5.2" stroke="var(--idle)" {...thin} />
    </>
  ),
  never: <circle cx="7" cy="7" r="5.75" stroke="var(--idle)" strokeDasharray="2 2.1" {...thin} />,
}

export type MarkName = 'tick' | 'cross' | 'warning' | 'question' | 'struck' | 'dash' | 'pending' | 'clock'

const markShapes: Readonly<Record<MarkName, ReactNode>> = {
  tick: <path d="M2.8 7.4l2.9 2.9 5.6-6.2" stroke="var(--good)" {...thin} strokeWidth={1.8} />,
  cross: <path d="M3.6 3.6l6.8 6.8M10.4 3.6l-6.8 6.8" stroke="var(--blocked)" {...thin} strokeWidth={1.8} />,
  warning: (
    <>
      <path d="M7 1.6L13 12.2H1z" stroke="var(--will)" {...thin} />
      <path d="M7 5.4v3M7 10.3v.1" stroke="var(--will)" {...thin} />
    </>
  ),
  question: (
    <path d="M5.1 5.2a2 2 0 1 1 2.9 1.9c-.7.4-1 .8-1 1.5M7 11v.1" stroke="var(--idle)" {...thin} strokeWidth={1.6} />
  ),
  struck: (
    <>
      <circle cx="7" cy="7" r="5.5" stroke="var(--idle)" {...thin} />
      <path d="M3.2 10.8l7.6-7.6" stroke="var(--idle)" {...thin} />
    </>
  ),
  dash: (
    <>
      <circle cx="7" cy="7" r="5.75" stroke="var(--idle)" {...thin} />
      <path d="M4.4 7h5.2" stroke="var(--idle)" {...thin} />
    </>
  ),
  pending: <circle cx="7" cy="7" r="5.75" stroke="var(--idle)" strokeDasharray="2 2.1" {...thin} />,
  clock: (
    <>
      <circle cx="7" cy="7" r="5.75" stroke="var(--idle)" {...thin} />
      <path d="M7 4.2V7l1.7 1.2" stroke="var(--idle)" {...thin} strokeWidth={1.4} />
    </>
  ),
}

const Shape = ({ children }: { children: ReactNode }) => (
  <svg className="state-shape" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
    {children}
  </svg>
)

export const StandingShape = ({ standing }: { standing: Standing }) => <Shape>{standingShapes[standing]}</Shape>
export const Mark = ({ name }: { name: MarkName }) => <Shape>{markShapes[name]}</Shape>

/** Shape and word, without a ground: for tables. */
export function StateCell({ standing }: { standing: Standing }) {
  return (
    <span className={`state ${standingTone[standing]}`}>
      <StandingShape standing={standing} />
      {standingWords[standing]}
    </span>
  )
}

/** Beside the title of a page, once. */
export function StatePill({ standing, suffix = '' }: { standing: Standing; suffix?: string }) {
  return (
    <span className={`pill ${standingTone[standing]}`}>
      <StandingShape standing={standing} />
      {standingWords[standing]}
      {suffix}
    </span>
  )
}
