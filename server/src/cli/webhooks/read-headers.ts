import { CommandError, exitCodes } from '../command-error.ts'

/**
 * Headers by their names in lower case: as JSON, such as `request_headers` of the delivery log, or a line for each as
 * HTTP and curl write them. Lines before the first blank one are the headers; a request line is passed over.
 */
export function readHeaders(text: string, place: string): Map<string, string> {
  const trimmed = text.trim()
  const pairs = trimmed.startsWith('{') ? fromJson(trimmed, place) : fromLines(trimmed, place)
  return new Map(pairs.map(([name, value]) => [name.trim().toLowerCase(), value.trim()]))
}

function fromJson(text: string, place: string): [string, string][] {
  try {
    const values: unknown = JSON.parse(text)
    const pairs = Object.entries(values ?? {})
    if (pairs.every((pair): pair is [string, string] => typeof pair[1] === 'string')) return pairs
  } catch {}
  throw usage(`${place} has to be a JSON object of names and values`)
}

function fromLines(text: string, place: string): [string, string][] {
  const lines = (text.split(/\r?\n\s*\r?\n/, 1)[0] ?? '').split(/\r?\n/).map((line) => line.replace(/^[<>] /, ''))
  return lines
    .filter((line) => line.trim() !== '' && !/^[A-Z]+ \S+ HTTP\/|^HTTP\//.test(line))
    .map((line) => {
      const [, name, value] = /^([^:\s]+):(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) throw usage(`${place} has a line that is no \`name: value\``)
      return [name, value]
    })
}

const usage = (message: string) => new CommandError(exitCodes.usage, message)
