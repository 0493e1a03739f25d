/** Log lines as JSON text, waiting to be sent; the oldest go first when there are too many. */
export type LogBuffer = {
  add: (type: LogType, line: string) => void
  /** The first lines of one type, as many as fit; always the same ones until `drop`. */
  first: (type: LogType, maxLines: number, maxCharacters: number) => string[]
  drop: (type: LogType, lines: string[]) => void
  waiting: (type: LogType) => number
}

export type LogType = 'result' | 'status'

export type LogBufferLimits = { lines: number; characters: number }

/** Holds at most `limits` per type; osquery's million lines would be a gigabyte here. */
export function makeLogBuffer(limits: LogBufferLimits = { lines: 10_000, characters: 32 * 1024 * 1024 }): LogBuffer {
  const lines: Record<LogType, string[]> = { result: [], status: [] }
  const characters: Record<LogType, number> = { result: 0, status: 0 }
  return {
    add(type, line) {
      lines[type].push(line)
      characters[type] += line.length
      while (lines[type].length > limits.lines || (characters[type] > limits.characters && lines[type].length > 1)) {
        characters[type] -= lines[type].shift()?.length ?? 0
      }
    },
    first(type, maxLines, maxCharacters) {
      let total = 0
      const batch: string[] = []
      for (const line of lines[type].slice(0, maxLines)) {
        total += line.length
        if (batch.length > 0 && total > maxCharacters) break
        batch.push(line)
      }
      return batch
    },
    drop(type, sent) {
      const gone = new Set(sent)
      lines[type] = lines[type].filter((line) => !gone.has(line))
      characters[type] = lines[type].reduce((sum, line) => sum + line.length, 0)
    },
    waiting: (type) => lines[type].length,
  }
}
