import { useState } from 'react'
import { Icon } from './icon.tsx'

/** Copies what cannot be typed; says so for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 1_500)
  }
  return (
    <>
      <button type="button" className="copy" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        <Icon name={isCopied ? 'tick' : 'copy'} size={14} />
      </button>
      <span role="status" className="hidden">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  )
}
