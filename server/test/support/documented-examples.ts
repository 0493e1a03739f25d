import { isDeepStrictEqual } from 'node:util'

/** A command of a page as a person types it, and what the page shows of its answer. */
export type Example = { readonly command: string; readonly shown: string }

/** The examples in the fenced blocks of a page; a block without a language is an answer, and its command is empty. */
export function examplesIn(markdown: string): Example[] {
  const blocks = markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms).toArray()
  return blocks.flatMap(([, language, text = '']) => {
    if (language === 'console') return typedIn(text)
    if (language === 'sh') return [{ command: text.trim(), shown: '' }]
    return [{ command: '', shown: text.trim() }]
  })
}

/** A command begins with a prompt and continues where its line ends with a backslash. */
function typedIn(text: string): Example[] {
  const parts = text.split(/^\$ /m).slice(1)
  return parts.map((part) => {
    const [, command = '', shown = ''] = /^((?:[^\n]*\\\n)*[^\n]*)\n?(.*)$/s.exec(part) ?? []
    return { command, shown: shown.trim() }
  })
}

const elision = '…'
/** What differs from one run to the next in text that is otherwise the same. */
const varying: readonly [RegExp, string][] = [
  [/mstr_v1_[0-9A-Za-z]{36}/g, '<key>'],
  [/mstr_link_\w+/g, '<link>'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b(?:passing|failing|unknown|inapplicable|errored)\b/g, '<status>'],
  [/"(?:Good|Notified|Will Block|Blocked)"/g, '"<state>"'],
  // The tables that an agent reads differ from machine to machine.
  [/(It (?:reads \d+ tables|does not read): ).*/g, '$1<tables>'],
  // A machine that is busy makes some of the simulated agents wait.
  [/^( *(?:errors|statuses other than 200):).*/, '$1'],
  [/\d[\d,.:]*/g, '#'],
]

const likeness = (line: string): string =>
  varying.reduce((text, [form, word]) => text.replace(form, word), line).replaceAll(/ +/g, ' ')

/** Members that read the same on every machine; of others only the type is shown. */
const sameEverywhere = new Set(['error', 'message', 'errors', 'check_slug', 'remediation_strategy', 'revision'])

function shapeOf(value: unknown, name = ''): unknown {
  if (sameEverywhere.has(name)) return value
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? likeness(item) : shapeOf(item)))
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member, key)]))
}

/** A value that one machine has and another has not is of either type. */
const isAlike = (shown: unknown, real: unknown): boolean => {
  const [one, other] = [shapeOf(shown), shapeOf(real)]
  const hasNulls = (value: unknown) => JSON.stringify(value)?.includes('"object"')
  return (
    isDeepStrictEqual(one, other) ||
    ((hasNulls(one) || hasNulls(other)) && isDeepStrictEqual(keysOf(shown), keysOf(real)))
  )
}

const keysOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.keys(value) : typeof value

/** The values that jq or an endpoint has printed, one after the other; undefined where the text is something else. */
function valuesIn(text: string): unknown[] | undefined {
  const values: unknown[] = []
  let held = ''
  for (const line of text.split('\n')) {
    held += `${line}\n`
    try {
      values.push(JSON.parse(held))
      held = ''
    } catch {
      // The value continues in the next line.
    }
  }
  return held.trim() === '' ? values : undefined
}

/** The parts of an answer that a page shows and that the real answer has nothing like. */
export function notIn(shown: string, real: string): string[] {
  const [values, realValues] = [valuesIn(shown), valuesIn(real)]
  if (values && realValues) {
    return values
      .filter((value) => !realValues.some((one) => isAlike(value, one)))
      .map((value) => JSON.stringify(value))
  }
  const lines = new Set(real.split(/\r?\n/).map((line) => likeness(line).trim()))
  const told = shown.split('\n').filter((line) => line.trim() !== elision && line.trim() !== '')
  return told.filter((line) => !lines.has(likeness(line).trim()))
}
