import { correction, generate } from 'lean-qr'

/** Modules of white around a code, without which cameras do not find it (ISO/IEC 18004, 9.1). */
const quiet = 4

/** Text for a camera, drawn here: what it holds goes to nobody. Nothing for text that is too long for one. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = codeOf(text)
  if (!code) return null
  const places = Array.from({ length: code.size }, (_, place) => place)
  const dark = places.flatMap((y) => places.filter((x) => code.get(x, y)).map((x) => ({ x, y })))
  const path = dark.map(({ x, y }) => `M${x + quiet} ${y + quiet}h1v1h-1z`).join('')
  const side = code.size + 2 * quiet
  return (
    <svg className="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

function codeOf(text: string) {
  try {
    return generate(text, { minCorrectionLevel: correction.M })
  } catch {
    // More than 2,331 bytes.
    return undefined
  }
}
