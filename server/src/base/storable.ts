/** Whether PostgreSQL can hold the text: it takes neither NUL nor half a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** At most `longest` UTF-16 units of a text, with U+FFFD for what PostgreSQL cannot hold, also at the cut. */
export function storable(text: string, longest = Number.POSITIVE_INFINITY): string {
  const cut = text.length > longest ? text.slice(0, longest) : text
  return isStorable(cut) ? cut : cut.replaceAll('\0', '\ufffd').toWellFormed()
}

type TextFault = { field: string; message: string }

export const maxFaults = 50

/** Where a value has text that no database text can hold, 50 places at most. */
export function unstorableTexts(value: unknown): TextFault[] {
  const faults: TextFault[] = []
  for (const [path, part] of partsOf(value)) {
    faults.push(...unstorableIn(path, part))
    if (faults.length >= maxFaults) break
  }
  return faults
}

/** What of one part no database text can hold: itself, or the names of its members. */
export function unstorableIn(path: string, part: unknown): TextFault[] {
  if (typeof part === 'string') {
    return isStorable(part) ? [] : [{ field: path, message: 'must not contain NUL or half a surrogate pair' }]
  }
  if (!hasNames(part) || Object.keys(part).every(isStorable)) return []
  return [{ field: path, message: 'must not have names with NUL or half a surrogate pair' }]
}

/**
 * A value, its members, theirs, and so on, each with its path and none before it is asked for. Iterative: the nesting is the
 * caller's to choose.
 */
export function* partsOf(value: unknown): Generator<[path: string, part: unknown]> {
  yield ['', value]
  const open = [membersOf('', value)]
  for (let innermost = open.at(-1); innermost; innermost = open.at(-1)) {
    const { value: member, done } = innermost.next()
    if (done) {
      open.pop()
      continue
    }
    yield member
    if (typeof member[1] === 'object') open.push(membersOf(...member))
  }
}

function* membersOf(path: string, part: unknown): Generator<[path: string, part: unknown]> {
  const within = path === '' ? '' : `${path}/`
  if (Array.isArray(part)) for (const [index, member] of part.entries()) yield [`${within}${index}`, member]
  else if (hasNames(part)) for (const name of Object.keys(part)) yield [`${within}${name}`, Reflect.get(part, name)]
}

const hasNames = (part: unknown): part is object => typeof part === 'object' && part !== null && !Array.isArray(part)
