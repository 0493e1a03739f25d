import { CopyButton } from './copy-button.tsx'
import { visibleText } from './visible-text.ts'

const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n')

/** Text that is copied or compared; what is too long scrolls. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: no fieldset, since nothing in it is filled in */}
      <pre className="pre" tabIndex={0} role="group" aria-label={label}>
        {visibleLines(text)}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}
