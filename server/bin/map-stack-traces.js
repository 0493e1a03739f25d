import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

const maps = new Map()

/** Node's own support reads every map at once, 100 MB of memory. This reads one when a stack is first looked at. */
export function mapStackTraces(folder) {
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${describe(frame, folder)}`)
    return `${headOf(error)}${lines.join('')}`
  }
}

function headOf(error) {
  try {
    return String(error)
  } catch {
    return 'Error'
  }
}

function describe(frame, folder) {
  const text = String(frame)
  const url = frame.getFileName()
  if (typeof url !== 'string' || !url.startsWith('file:') || !fileURLToPath(url).startsWith(folder)) return text
  const entry = mapOf(fileURLToPath(url))?.findEntry(
    (frame.getLineNumber() ?? 1) - 1,
    (frame.getColumnNumber() ?? 1) - 1,
  )
  if (entry?.originalSource === undefined) return text
  const source = new URL(entry.originalSource, url).href
  const place = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  return text.includes('(') ? text.replace(/\([^()]*\)$/, `(${place})`) : place
}

function mapOf(file) {
  if (!maps.has(file)) {
    const isMapped = existsSync(`${file}.map`)
    maps.set(file, isMapped ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) : undefined)
  }
  return maps.get(file)
}
