import type { ReactNode } from 'react'
import { CopyButton } from '../components/copy-button.tsx'

type StepParts = {
  readonly number: number
  readonly title: string
  readonly end?: ReactNode
  readonly children: ReactNode
}

export const Step = ({ number, title, end, children }: StepParts) => (
  <li>
    <span className="step-number" aria-hidden="true">
      {number}
    </span>
    <div className="grow">
      <div className="row between">
        <h2>{title}</h2>
        {end}
      </div>
      {children}
    </div>
  </li>
)

export const CommandRow = ({ command, label }: { command: string; label: string }) => (
  <div className="step-row command">
    <code className="grow ellipsis" title={command}>
      {command}
    </code>
    <CopyButton text={command} label={label} />
  </div>
)
