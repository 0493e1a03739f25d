import type { ReactNode } from 'react'

type Parts = { readonly name: string; readonly children: ReactNode; readonly className?: string }

/** A table that is wider than its place scrolls by itself, by the keyboard as well. */
export const Scroller = ({ name, children, className = '' }: Parts) => (
  // biome-ignore lint/a11y/useSemanticElements: no fieldset, since nothing in it is filled in
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <div className={`scroller ${className}`} role="group" aria-label={name} tabIndex={0}>
    {children}
  </div>
)
