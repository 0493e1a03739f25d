import type { ReactNode } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { visibleText } from '../components/visible-text.ts'
import '../components/code-block.css'
import './json-block.css'

const token = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g

/** Names, texts and figures told apart; what hides in a text is shown by its code. */
function coloured(json: string): ReactNode[] {
  const parts: ReactNode[] = []
  let end = 0
  for (const found of json.matchAll(token)) {
    const [whole, text, colon] = found
    parts.push(json.slice(end, found.index))
    const className = text === undefined ? 'json-figure' : colon === undefined ? 'json-text' : 'json-name'
    parts.push(
      <span className={className} key={found.index}>
        {visibleText(text ?? whole)}
      </span>,
      colon ?? '',
    )
    end = found.index + whole.length
  }
  parts.push(json.slice(end))
  return parts
}

/** Indented JSON to be read; what is copied is `copied`, or the JSON as it is shown. */
export const JsonBlock = ({ json, label, copied }: { json: string; label: string; copied?: string }) => (
  <div className="code-block">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    {/* biome-ignore lint/a11y/useSemanticElements: no fieldset, since nothing in it is filled in */}
    <pre className="pre" tabIndex={0} role="group" aria-label={label}>
      {coloured(json)}
    </pre>
    <CopyButton text={copied ?? json} label={label} />
  </div>
)
