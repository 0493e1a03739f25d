import type { ReactNode } from 'react'

/** A line of a list of facts (`<dl className="facts">`). */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="pair">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
