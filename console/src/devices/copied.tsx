import { CopyButton } from '../components/copy-button.tsx'
import { visibleText } from '../components/visible-text.ts'

/** A value that is missing. */
export const missing = <span className="faint">—</span>

/** What is too long to read, whole by a click; `label` as in "the serial number". */
export function Copied({ text, label }: { text: string | null; label: string }) {
  if (text === null) return missing
  return (
    <>
      <code className="ellipsis" title={visibleText(text)}>
        {visibleText(text)}
      </code>
      <CopyButton text={text} label={label} />
    </>
  )
}
