import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { visibleLines } from './visible-text.ts'
import './code-block.css'

type Parts = {
  /** What is copied. */
  readonly text: string
  readonly label: string
  /** What is shown, where that is more than the text alone. */
  readonly children?: ReactNode
}

/** Text that is copied or compared; what is too long scrolls. */
export function CodeBlock({ text, label, children = visibleLines(text) }: Parts) {
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: no fieldset, since nothing in it is filled in */}
      <pre className="pre" tabIndex={0} role="group" aria-label={label}>
        {children}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}
