import { qrMatrix } from './qr-matrix.ts'

/** Modules of white around a code, without which cameras do not find it (ISO/IEC 18004, 9.1). */
const quiet = 4

/** Text for a camera, drawn here: what it holds goes to nobody. Nothing for text that is too long for one. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = qrMatrix(text)
  if (!rows) return null
  const side = rows.length + 2 * quiet
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')))
    .join('')
  return (
    <svg className="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
