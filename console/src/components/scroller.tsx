import type { ReactNode } from 'react'
import './scroller.css'

type Parts = {
  readonly name: string
  readonly children: ReactNode
  readonly className?: string
  /** The list that a page is about: its head stays below the bar of the page. */
  readonly isList?: boolean
}

/** A table that is wider than its place scrolls by itself, by the keyboard as well. */
export const Scroller = ({ name, children, className = '', isList = false }: Parts) => (
  // biome-ignore lint/a11y/useSemanticElements: no fieldset, since nothing in it is filled in
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <div className={`scroller ${isList ? 'list' : ''} ${className}`} role="group" aria-label={name} tabIndex={0}>
    {children}
  </div>
)
