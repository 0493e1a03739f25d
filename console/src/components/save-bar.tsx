import './save-bar.css'
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'

type Parts = {
  /** As wide as its page, margins included; else as wide as its form. */
  readonly isWhole?: boolean
  /** What is changed. */
  readonly said: ReactNode
  /** What follows from it, or why it was refused. */
  readonly below?: ReactNode
  readonly onDiscard: () => void
  /** The button that saves. */
  readonly children: ReactNode
}

/** Stands below what is edited while something is changed that is not saved. */
export const SaveBar = ({ isWhole = false, said, below, onDiscard, children }: Parts) => (
  <section className={isWhole ? 'save-bar whole' : 'save-bar'} aria-label="Unsaved changes">
    <div className="grow">
      <div className="medium" role="status">
        {said}
      </div>
      {below}
    </div>
    <Button variant="subtle" onClick={onDiscard}>
      Discard
    </Button>
    {children}
  </section>
)
